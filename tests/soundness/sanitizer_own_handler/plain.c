// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers that keep an address.
#include "../soundness.h"

static int *kept[2];
void __ubsan_handle_type_mismatch_v1(void *data, uintptr_t address);
void __ubsan_handle_pointer_overflow(void *data, uintptr_t base, uintptr_t result);
void __ubsan_handle_type_mismatch_v1(void *data, uintptr_t address) { kept[0] = (int *)address; }
void __ubsan_handle_pointer_overflow(void *data, uintptr_t base, uintptr_t result) { kept[1] = (int *)result; }
void __ubsan_handle_out_of_bounds(void *data, uintptr_t index);
void __ubsan_handle_out_of_bounds(void *data, uintptr_t index) { abort(); }

static void *user(void *arg) {
  *kept[0] += 1;
  *kept[1] += 1;
  return arg;
}
void use_kept(void);
void use_kept(void) { on_thread(user, NULL); }
