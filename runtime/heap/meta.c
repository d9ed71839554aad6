// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// meta.c - the memory of descriptors and headers.
//
// The arrays cover both ranges (4 GiB of addresses, of which 8 KiB a segment are ever touched). Where address space is not
// limited they are reserved at once, readable: then a free of whatever address in the ranges finds a descriptor, if only one that
// says that nothing is there. Else, and where the reservation cannot be had, they are mapped as segments need them.
#include "heap.h"

#include <string.h>

enum { ChunkSlots = 64, ChunkCount = FHI_SLOT_COUNT / ChunkSlots };
#define DESCRIPTORS_SIZE ((size_t)ChunkSlots * FHI_PAGES * sizeof(struct fhi_page))
#define HEADERS_SIZE ((size_t)ChunkSlots * sizeof(struct fhi_segment))
#define META_SIZE (ChunkCount * (DESCRIPTORS_SIZE + HEADERS_SIZE))
_Static_assert(HEADERS_SIZE % 4096 == 0, "chunks are whole system pages");

// Under the global lock. What is reserved, and not writable, of a chunk: it may be given up, and unmapping it may fail.
enum { ReservedDescriptors = 1, ReservedHeaders = 2 };
static uint8_t Reserved[ChunkCount];
static bool Writable[ChunkCount];
static bool Tried, HaveReserved;

static void *descriptors(size_t chunk) { return (void *)(FHI_META + chunk * DESCRIPTORS_SIZE); }
static void *headers(size_t chunk) { return (void *)(FHI_HEADERS + chunk * HEADERS_SIZE); }

static bool map_part(size_t chunk, uint8_t part, void *at, size_t size) {
  if ((Reserved[chunk] & part) == 0)
    return fhi_os_map_at(at, size) == 0;
  return fhi_os_make_writable(at, size);
}

static bool map_chunk(size_t chunk) {
  if (!map_part(chunk, ReservedDescriptors, descriptors(chunk), DESCRIPTORS_SIZE))
    return false;
  // Should the rest fail these stay as they are, and making them writable once more does no harm.
  Reserved[chunk] |= ReservedDescriptors;
  return map_part(chunk, ReservedHeaders, headers(chunk), HEADERS_SIZE);
}

bool fhi_meta_map(size_t slot, size_t count) {
  if (!Tried) {
    Tried = true;
    HaveReserved = !fhi_os_address_space_limited() && fhi_os_reserve((void *)FHI_META, META_SIZE);
    if (HaveReserved)
      memset(Reserved, ReservedDescriptors | ReservedHeaders, sizeof Reserved);
  }
  for (size_t chunk = slot / ChunkSlots; chunk <= (slot + count - 1) / ChunkSlots; ++chunk) {
    if (!Writable[chunk] && !map_chunk(chunk))
      return false;
    Writable[chunk] = true;
  }
  return true;
}

bool fhi_meta_give_up(void) {
  if (!HaveReserved)
    return false;
  HaveReserved = false;
  for (size_t chunk = 0, end; chunk < ChunkCount; chunk = end + 1) {
    for (end = chunk; end < ChunkCount && !Writable[end]; ++end)
      ;
    if (end == chunk)
      continue;
    uint8_t left = fhi_os_unmap(descriptors(chunk), (end - chunk) * DESCRIPTORS_SIZE) ? 0 : ReservedDescriptors;
    left |= fhi_os_unmap(headers(chunk), (end - chunk) * HEADERS_SIZE) ? 0 : ReservedHeaders;
    memset(Reserved + chunk, left, end - chunk);
  }
  return true;
}
