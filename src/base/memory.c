// The allocator hook, aligned zeroed blocks, growing blocks and the scratch arena.
#ifdef __linux__
#define _DEFAULT_SOURCE // madvise
#endif
#include "limber/base.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { HEAP_EXTRA = LB_ALIGNMENT + sizeof(void *) };

// Default heap: over-allocate and keep the pointer to free just below the aligned block.
static void *align_block(char *raw) {
  if (!raw) return NULL;
  uintptr_t start = (uintptr_t)raw + sizeof(void *);
  size_t padding = (LB_ALIGNMENT - start % LB_ALIGNMENT) % LB_ALIGNMENT;
  char *block = raw + sizeof(void *) + padding;
  memcpy(block - sizeof(void *), &raw, sizeof(void *));
  return block;
}

// A large block uses huge pages, which the system maps in fewer pieces: the first
// writes to 100 MB cost 25 000 page faults otherwise. Systems without huge pages ignore this.
static char *in_large_pages(char *raw, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  enum { PAGE = 4096, LARGE = 4 << 20 };
  if (!raw || bytes < LARGE) return raw;
  size_t before = (PAGE - (uintptr_t)raw % PAGE) % PAGE;
  (void)madvise(raw + before, (bytes - before) / PAGE * PAGE, MADV_HUGEPAGE);
#else
  (void)bytes;
#endif
  return raw;
}

static void *heap_allocate(size_t bytes, void *context) {
  (void)context;
  if (bytes > SIZE_MAX - HEAP_EXTRA) return NULL;
  return align_block(in_large_pages(malloc(bytes + HEAP_EXTRA), bytes));
}

static void heap_release(void *block, void *context) {
  (void)context;
  void *raw;
  memcpy(&raw, (char *)block - sizeof(void *), sizeof(void *));
  free(raw);
}

static const lbAllocator heap = { heap_allocate, heap_release, NULL };
static lbAllocator current = { heap_allocate, heap_release, NULL };

void lb_set_allocator(const lbAllocator *allocator) { current = allocator ? *allocator : heap; }

static void *alloc_uninitialised(size_t count, size_t item_bytes, size_t *bytes) {
  if (item_bytes && count > (SIZE_MAX / 2) / item_bytes) return NULL;
  *bytes = count * item_bytes;
  return current.allocate(*bytes ? *bytes : 1, current.context);
}

static void *zeroed(size_t bytes) {
  return align_block(in_large_pages(calloc(bytes + HEAP_EXTRA, 1), bytes));
}

// Pages that come from the system are zero already, and take no memory until they are written to:
// calloc knows them. Smaller blocks are written to here, so that no step of a body waits for a
// page.
void *lb_alloc(size_t count, size_t item_bytes) {
  const size_t large = (size_t)8 << 20;
  size_t bytes = 0;
  if (current.allocate == heap_allocate && item_bytes && count > large / item_bytes)
    return count > SIZE_MAX / 2 / item_bytes ? NULL : zeroed(count * item_bytes);
  void *block = alloc_uninitialised(count, item_bytes, &bytes);
  if (block) memset(block, 0, bytes);
  return block;
}

void *lb_duplicate(const void *source, size_t count, size_t item_bytes) {
  size_t bytes = 0;
  void *block = alloc_uninitialised(count, item_bytes, &bytes);
  if (block && bytes) memcpy(block, source, bytes);
  return block;
}

char *lb_duplicate_text(const char *text) { return lb_duplicate(text, strlen(text) + 1, 1); }

void lb_free(void *block) {
  if (block) current.release(block, current.context);
}

bool lb_grow(void **block, size_t *capacity, size_t needed, size_t item_bytes) {
  if (needed <= *capacity) return true;
  size_t larger = *capacity < 16 ? 16 : *capacity;
  while (larger < needed) larger = larger > SIZE_MAX / 2 ? needed : larger * 2;
  size_t bytes = 0;
  void *moved = alloc_uninitialised(larger, item_bytes, &bytes);
  if (!moved) return false;
  size_t used = *capacity * item_bytes;
  if (used) memcpy(moved, *block, used);
  memset((char *)moved + used, 0, bytes - used);
  lb_free(*block);
  *block = moved;
  *capacity = larger;
  return true;
}

struct lbArenaBlock {
  struct lbArenaBlock *next;
  size_t used, bytes; // payload, which starts LB_ALIGNMENT bytes into the block
};

void *lb_arena_alloc(lbArena *arena, size_t count, size_t item_bytes) {
  if (item_bytes && count > (SIZE_MAX / 4) / item_bytes) return NULL;
  size_t bytes = (count * item_bytes + LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT;
  struct lbArenaBlock *block = arena->blocks;
  if (!block || block->bytes - block->used < bytes) {
    size_t ordinary = arena->block_bytes ? arena->block_bytes : 64 * 1024;
    size_t payload = bytes > ordinary ? bytes : ordinary;
    block = lb_alloc(LB_ALIGNMENT + payload, 1);
    if (!block) return NULL;
    block->bytes = payload;
    block->next = arena->blocks;
    arena->blocks = block;
  }
  void *result = (char *)block + LB_ALIGNMENT + block->used;
  block->used += bytes;
  return result;
}

void lb_arena_release(lbArena *arena) {
  while (arena->blocks) {
    struct lbArenaBlock *next = arena->blocks->next;
    lb_free(arena->blocks);
    arena->blocks = next;
  }
}
