// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// report.c - what the server knows at its end, for a reader and as JSON.
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

uint64_t server_memory(void) {
  unsigned long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file)
    return 0;
  if (fscanf(file, "%lu %lu", &pages, &resident) != 2)
    resident = 0;
  fclose(file);
  return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static double mib(uint64_t bytes) { return (double)bytes / (1024 * 1024); }

void server_print(const struct server_result *result, const struct engine *engine, const struct engine_count *count) {
  uint64_t after = result->answered - result->warm_requests;
  printf("host: %" PRIu64 " requests: %" PRIu64 " answered, %" PRIu64 " not found, %" PRIu64 " refused, %" PRIu64
         " failed, %" PRIu64 " went away; %" PRIu64 " messages logged\n",
         result->answered, result->found, result->missing, result->refused, result->failed, result->gone, engine->logged());
  printf("host: %" PRIu64 " threads, %" PRIu64 " of them ended without a word, at most %" PRIu64 " at a time\n", result->threads,
         result->silent, result->peak_threads);
  if (count->blocks >= 0)
    printf("host: thread blocks: %" PRId64 " made, %" PRId64 " ended, %" PRId64 " there; %" PRId64 " resources, %" PRId64
           " bytes each\n",
           count->started, count->ended, count->blocks, count->resources, count->bytes);
  printf("host: memory: %.1f MiB at first, ", mib(result->memory_start));
  if (result->warm_requests && after) {
    printf("%.1f MiB after %" PRIu64 " requests, ", mib(result->memory_warm), result->warm_requests);
    printf("%.1f MiB at the end, %.1f MiB at most\n", mib(result->memory_end), mib(result->memory_peak));
    printf("host: CPU time: %.0f us a request (user), %.0f us (system)\n",
           (result->user_end - result->user_warm) * 1e6 / (double)after,
           (result->system_end - result->system_warm) * 1e6 / (double)after);
  } else {
    printf("%.1f MiB at the end, %.1f MiB at most\n", mib(result->memory_end), mib(result->memory_peak));
  }
}

int server_json(const char *path, const struct server_result *result, const struct engine *engine,
                const struct engine_count *count) {
  FILE *file = fopen(path, "we");
  if (!file) {
    fprintf(stderr, "host: cannot write %s: %s\n", path, strerror(errno));
    return 2;
  }
  fprintf(file,
          "{\"engine\": \"%s\", \"requests\": %" PRIu64 ", \"answered\": %" PRIu64 ", \"not_found\": %" PRIu64
          ", \"refused\": %" PRIu64,
          engine->name, result->answered, result->found, result->missing, result->refused);
  fprintf(file, ", \"failed\": %" PRIu64 ", \"gone\": %" PRIu64 ", \"logged\": %" PRIu64, result->failed, result->gone,
          engine->logged());
  fprintf(file,
          ", \"threads\": %" PRIu64 ", \"silent\": %" PRIu64 ", \"refused_threads\": %" PRIu64 ", \"peak_threads\": %" PRIu64,
          result->threads, result->silent, result->refused_threads, result->peak_threads);
  fprintf(file, ", \"warm_requests\": %" PRIu64, result->warm_requests);
  fprintf(file, ", \"memory\": {\"start\": %" PRIu64 ", \"warm\": %" PRIu64 ", \"end\": %" PRIu64 ", \"peak\": %" PRIu64 "}",
          result->memory_start, result->memory_warm, result->memory_end, result->memory_peak);
  fprintf(file, ", \"user\": {\"warm\": %.6f, \"end\": %.6f}, \"system\": {\"warm\": %.6f, \"end\": %.6f}", result->user_warm,
          result->user_end, result->system_warm, result->system_end);
  if (count->blocks >= 0)
    fprintf(file,
            ", \"blocks\": {\"now\": %" PRId64 ", \"started\": %" PRId64 ", \"ended\": %" PRId64 ", \"resources\": %" PRId64
            ", \"bytes\": %" PRId64 "}",
            count->blocks, count->started, count->ended, count->resources, count->bytes);
  fprintf(file, "}\n");
  return fclose(file) == 0 ? 0 : 2;
}
