// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// monitor.c - a lock with a place to wait: see os.h.
#include "os.h"

void fhi_monitor_enter(struct fhi_monitor *monitor) { pthread_mutex_lock(&monitor->lock); }

void fhi_monitor_leave(struct fhi_monitor *monitor) { pthread_mutex_unlock(&monitor->lock); }

void fhi_monitor_wait(struct fhi_monitor *monitor) { pthread_cond_wait(&monitor->changed, &monitor->lock); }

void fhi_monitor_changed(struct fhi_monitor *monitor) { pthread_cond_broadcast(&monitor->changed); }

void fhi_monitor_renew(struct fhi_monitor *monitor) {
  pthread_mutex_init(&monitor->lock, NULL);
  pthread_cond_init(&monitor->changed, NULL);
}
