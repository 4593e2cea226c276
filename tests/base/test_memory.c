// The allocator: alignment, zeroing, overflow, growth, the arena, the hook, and failing.
#include "check.h"

static bool is_zero(const void *block, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (((const unsigned char *)block)[i]) return false;
  return true;
}

static bool is_aligned(const void *block) { return (uintptr_t)block % LB_ALIGNMENT == 0; }

static void blocks_are_aligned_and_zeroed(void **state) {
  (void)state;
  for (size_t bytes = 0; bytes < 600; bytes++) {
    unsigned char *block = lb_alloc(bytes, 1);
    assert_non_null(block);
    assert_true(is_aligned(block));
    assert_true(is_zero(block, bytes));
    memset(block, 0xab, bytes); // so that a block used again would show
    lb_free(block);
  }
  lb_free(NULL);
}

static void sizes_that_overflow_are_refused(void **state) {
  (void)state;
  assert_null(lb_alloc(SIZE_MAX, 1));
  assert_null(lb_alloc(SIZE_MAX / 2, 4));
  assert_null(lb_alloc((size_t)1 << 33, (size_t)1 << 33)); // 2^66 wraps to 0
  assert_null(lb_duplicate("x", SIZE_MAX, 8));
  lbArena arena = { 0 };
  assert_null(lb_arena_alloc(&arena, SIZE_MAX, 1));
  assert_null(lb_arena_alloc(&arena, SIZE_MAX / 8, 16));
  lb_arena_release(&arena);
  void *zero = lb_alloc(SIZE_MAX, 0);
  assert_non_null(zero);
  lb_free(zero);
}

static void duplicates_are_equal_and_separate(void **state) {
  (void)state;
  int32_t numbers[] = { 1, 2, 3 };
  int32_t *copy = lb_duplicate(numbers, 3, sizeof *numbers);
  assert_memory_equal(copy, numbers, sizeof numbers);
  copy[0] = 9;
  assert_int_equal(numbers[0], 1);
  lb_free(copy);
  char *text = lb_duplicate_text("limber");
  assert_string_equal(text, "limber");
  lb_free(text);
  void *empty = lb_duplicate(NULL, 0, 8);
  assert_non_null(empty);
  lb_free(empty);
}

static void growing_keeps_what_was_there_and_zeroes_the_rest(void **state) {
  (void)state;
  int32_t *items = NULL;
  size_t capacity = 0, moves = 0;
  for (int32_t i = 0; i < 10000; i++) {
    size_t before = capacity;
    assert_true(lb_grow((void **)&items, &capacity, (size_t)i + 1, sizeof *items));
    moves += capacity != before;
    assert_true(capacity > (size_t)i && is_aligned(items));
    assert_int_equal(items[i], 0);
    items[i] = i;
  }
  for (int32_t i = 0; i < 10000; i++) assert_int_equal(items[i], i);
  assert_true(is_zero(items + 10000, (capacity - 10000) * sizeof *items));
  assert_true(moves < 16); // doubling
  lb_free(items);
}

static void growth_that_fails_leaves_the_block_unharmed(void **state) {
  (void)state;
  double *items = NULL;
  size_t capacity = 0;
  assert_true(lb_grow((void **)&items, &capacity, 3, sizeof *items));
  items[2] = 5;
  double *before = items;
  size_t capacity_before = capacity;
  assert_false(lb_grow((void **)&items, &capacity, SIZE_MAX, sizeof *items));
  assert_false(lb_grow((void **)&items, &capacity, SIZE_MAX / 2 + 2, sizeof *items));
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  assert_false(lb_grow((void **)&items, &capacity, 1000, sizeof *items));
  lb_set_allocator(NULL);
  assert_ptr_equal(items, before);
  assert_int_equal(capacity, capacity_before);
  assert_true(items[2] == 5);
  lb_free(items);
}

static void arena_blocks_are_aligned_zeroed_and_apart(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbArena arena = { .block_bytes = 1000 }; // not a multiple of the alignment
  unsigned char *blocks[100];
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < 100; i++) {
      blocks[i] = lb_arena_alloc(&arena, i * 17, 1); // some larger than a block
      assert_non_null(blocks[i]);
      assert_true(is_aligned(blocks[i]) && is_zero(blocks[i], i * 17));
      memset(blocks[i], (int)i, i * 17);
    }
    for (size_t i = 0; i < 100; i++)
      for (size_t k = 0; k < i * 17; k++) assert_int_equal(blocks[i][k], i);
    assert_true(heap.live > 1 && heap.live < 200);
    lb_arena_release(&arena);
    assert_int_equal(heap.live, 0);
  }
  lb_arena_release(&arena);
  lb_set_allocator(NULL);
}

static void arena_fails_cleanly(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = 1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbArena arena = { .block_bytes = 256 };
  char *first = lb_arena_alloc(&arena, 200, 1);
  assert_non_null(first);
  strcpy(first, "still here");
  assert_null(lb_arena_alloc(&arena, 200, 1));
  assert_string_equal(first, "still here");
  assert_non_null(lb_arena_alloc(&arena, 200, 1));
  lb_arena_release(&arena);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

static void the_hook_sees_every_allocation_and_its_memory_is_zeroed(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = 2 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  void *a = lb_alloc(10, 8);
  char *b = lb_duplicate_text("two");
  assert_int_equal(heap.live, 2);
  assert_null(lb_alloc(1, 1));
  assert_true(is_zero(a, 80));
  lb_free(a);
  lb_free(b);
  assert_int_equal(heap.live, 0);
  assert_int_equal(heap.count, 3);
  lb_set_allocator(NULL);
  lb_free(lb_alloc(1, 1));
  assert_int_equal(heap.count, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(blocks_are_aligned_and_zeroed),
    cmocka_unit_test(sizes_that_overflow_are_refused),
    cmocka_unit_test(duplicates_are_equal_and_separate),
    cmocka_unit_test(growing_keeps_what_was_there_and_zeroes_the_rest),
    cmocka_unit_test(growth_that_fails_leaves_the_block_unharmed),
    cmocka_unit_test(arena_blocks_are_aligned_zeroed_and_apart),
    cmocka_unit_test(arena_fails_cleanly),
    cmocka_unit_test(the_hook_sees_every_allocation_and_its_memory_is_zeroed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
