// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// meta.c - the memory of descriptors, headers and bitmaps.
//
// The arrays cover both ranges, with 8 KiB a segment. They are mapped in chunks, as segments need them. Where address space is
// not limited a chunk's neighbours are reserved with it, readable: then a free of whatever address near our blocks finds a
// descriptor, if only one that says that nothing is there. All of both ranges is 4 GiB, which a limit that the program sets later
// would count: that much is reserved only under FREEHOLD_CHECK, where no address whatever may lead to a crash. Bitmaps, of the
// shared range only, are never reserved: none but the owner of a block looks there. 2 MiB a chunk, of which those cost memory
// that other threads' frees have touched.
#include "hardened.h"

#include <string.h>

enum { ChunkSlots = 64, ChunkCount = FHI_SLOT_COUNT / ChunkSlots };
#define DESCRIPTORS_SIZE ((size_t)ChunkSlots * FHI_PAGES * sizeof(struct fhi_page))
#define HEADERS_SIZE ((size_t)ChunkSlots * sizeof(struct fhi_segment))
#define BITMAPS_SIZE ((size_t)ChunkSlots * FHI_PAGES * FHI_BITMAP_WORDS * sizeof(uint64_t))
_Static_assert(HEADERS_SIZE % 4096 == 0, "chunks are whole system pages");

// Under the global lock. What is reserved, and not writable, of a chunk: it may be given up, and unmapping it may fail.
enum { ReservedDescriptors = 1, ReservedHeaders = 2 };
enum { GroupChunks = 16 }; // reserved at a time: for 4 GiB of blocks
static uint8_t Reserved[ChunkCount];
static bool Writable[ChunkCount];
static bool Tried[ChunkCount / GroupChunks];
static bool HaveReserved, NoMore;

static void *descriptors(size_t chunk) { return (void *)(FHI_META + chunk * DESCRIPTORS_SIZE); }
static void *bitmaps(size_t chunk) { return (void *)(FHI_BITMAPS + chunk * BITMAPS_SIZE); }
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
  if (!map_part(chunk, ReservedHeaders, headers(chunk), HEADERS_SIZE))
    return false;
  Reserved[chunk] |= ReservedHeaders;
  return chunk >= FHI_SLOTS_A_KIND / ChunkSlots || fhi_hardened() || fhi_os_map_at(bitmaps(chunk), BITMAPS_SIZE) == 0;
}

static void reserve(size_t chunk) {
  size_t count = fhi_hardened() ? ChunkCount : GroupChunks, first = chunk - chunk % count;
  if (Tried[chunk / GroupChunks] || NoMore)
    return;
  memset(Tried + first / GroupChunks, true, count / GroupChunks);
  NoMore = fhi_os_address_space() != SIZE_MAX;
  if (NoMore || !fhi_os_reserve(descriptors(first), count * DESCRIPTORS_SIZE))
    return;
  HaveReserved = true;
  uint8_t parts = ReservedDescriptors;
  if (fhi_os_reserve(headers(first), count * HEADERS_SIZE))
    parts |= ReservedHeaders;
  memset(Reserved + first, parts, count);
}

bool fhi_meta_map(size_t slot, size_t count) {
  for (size_t chunk = slot / ChunkSlots; chunk <= (slot + count - 1) / ChunkSlots; ++chunk) {
    reserve(chunk);
    if (!Writable[chunk] && !map_chunk(chunk))
      return false;
    Writable[chunk] = true;
  }
  return true;
}

static void give_up(uint8_t part, void *(*place)(size_t), size_t size) {
  for (size_t chunk = 0, end; chunk < ChunkCount; chunk = end + 1) {
    for (end = chunk; end < ChunkCount && !Writable[end] && (Reserved[end] & part) != 0; ++end)
      ;
    if (end == chunk || !fhi_os_unmap(place(chunk), (end - chunk) * size))
      continue;
    for (size_t gone = chunk; gone < end; ++gone)
      Reserved[gone] &= (uint8_t)~part;
  }
}

bool fhi_meta_give_up(void) {
  NoMore = true;
  if (!HaveReserved)
    return false;
  HaveReserved = false;
  give_up(ReservedDescriptors, descriptors, DESCRIPTORS_SIZE);
  give_up(ReservedHeaders, headers, HEADERS_SIZE);
  return true;
}
