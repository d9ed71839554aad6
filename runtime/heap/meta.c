// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// meta.c - the memory of descriptors and headers.
//
// The arrays cover both ranges (4 GiB of addresses, of which 8 KiB a segment are ever touched). Where address space is not
// limited they are reserved at once, readable: then a free of whatever address in the ranges finds a descriptor, if only one that
// says that nothing is there. Else, and where the reservation cannot be had, they are mapped as segments need them.
#include "heap.h"

#include <errno.h>

enum { ChunkSlots = 64, ChunkCount = FHI_SLOT_COUNT / ChunkSlots };
#define DESCRIPTORS_SIZE ((size_t)ChunkSlots * FHI_PAGES * sizeof(struct fhi_page))
#define HEADERS_SIZE ((size_t)ChunkSlots * sizeof(struct fhi_segment))
#define META_SIZE (ChunkCount * (DESCRIPTORS_SIZE + HEADERS_SIZE))
_Static_assert(HEADERS_SIZE % 4096 == 0, "chunks are whole system pages");

// Under the global lock.
static bool Writable[ChunkCount];
static bool Tried, Reserved;

static void *descriptors(size_t chunk) { return (void *)(FHI_META + chunk * DESCRIPTORS_SIZE); }
static void *headers(size_t chunk) { return (void *)(FHI_HEADERS + chunk * HEADERS_SIZE); }

static bool map_chunk(size_t chunk) {
  if (Reserved)
    return fhi_os_make_writable(descriptors(chunk), DESCRIPTORS_SIZE) && fhi_os_make_writable(headers(chunk), HEADERS_SIZE);
  if (fhi_os_map_at(descriptors(chunk), DESCRIPTORS_SIZE) != 0)
    return false;
  if (fhi_os_map_at(headers(chunk), HEADERS_SIZE) == 0)
    return true;
  fhi_os_unmap(descriptors(chunk), DESCRIPTORS_SIZE);
  return false;
}

bool fhi_meta_map(size_t slot, size_t count) {
  if (!Tried) {
    Tried = true;
    Reserved = !fhi_os_address_space_limited() && fhi_os_reserve((void *)FHI_META, META_SIZE);
  }
  for (size_t chunk = slot / ChunkSlots; chunk <= (slot + count - 1) / ChunkSlots; ++chunk) {
    if (!Writable[chunk] && !map_chunk(chunk))
      return false;
    Writable[chunk] = true;
  }
  return true;
}

bool fhi_meta_give_up(void) {
  if (!Reserved)
    return false;
  Reserved = false;
  for (size_t chunk = 0, end; chunk < ChunkCount; chunk = end + 1) {
    for (end = chunk; end < ChunkCount && !Writable[end]; ++end)
      ;
    if (end == chunk)
      continue;
    fhi_os_unmap(descriptors(chunk), (end - chunk) * DESCRIPTORS_SIZE);
    fhi_os_unmap(headers(chunk), (end - chunk) * HEADERS_SIZE);
  }
  return true;
}
