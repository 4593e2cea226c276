// The hash table: numbers by first appearance, keys of several sizes, growth, memory that runs out.
#include "check.h"

#include "mesh/hash_table.h"

static void keys_are_numbered_by_first_appearance(void **state) {
  (void)state;
  lbHashTable table = lb_hash_table(2 * sizeof(int32_t));
  for (int32_t round = 0; round < 2; round++)
    for (int32_t i = 0; i < 5000; i++)
      assert_int_equal(lb_hash_table_add(&table, (int32_t[2]){ i % 71, -i }), i);
  assert_int_equal(table.count, 5000);
  const int32_t *keys = table.keys;
  for (int32_t i = 0; i < 5000; i++) {
    assert_int_equal(keys[2 * i], i % 71);
    assert_int_equal(lb_hash_table_find(&table, keys + 2 * i), i);
  }
  assert_int_equal(lb_hash_table_find(&table, (int32_t[2]){ 0, 1 }), -1);
  lb_hash_table_release(&table);
}

static void an_empty_table_finds_nothing_and_can_be_used_again(void **state) {
  (void)state;
  lbHashTable table = lb_hash_table(sizeof(int64_t));
  int64_t key = -7;
  for (int round = 0; round < 2; round++) {
    assert_int_equal(lb_hash_table_find(&table, &key), -1);
    assert_int_equal(lb_hash_table_add(&table, &key), 0);
    assert_int_equal(lb_hash_table_find(&table, &key), 0);
    lb_hash_table_release(&table);
  }
}

// Keys that differ in one bit alone, and far more of them than slots at first.
static void keys_that_differ_in_one_bit_are_told_apart(void **state) {
  (void)state;
  lbHashTable table = lb_hash_table(36);
  uint8_t key[36] = { 0 };
  assert_int_equal(lb_hash_table_add(&table, key), 0);
  for (int32_t bit = 0; bit < 36 * 8; bit++) {
    key[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_int_equal(lb_hash_table_find(&table, key), -1);
    assert_int_equal(lb_hash_table_add(&table, key), bit + 1);
    key[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  assert_int_equal(lb_hash_table_find(&table, key), 0);
  lb_hash_table_release(&table);
}

// Grids are what meshes are made of. At half load a good hash needs 1.5 probes for a key that is
// there; a bad one needs hundreds.
static void points_of_a_grid_spread_over_the_slots(void **state) {
  (void)state;
  lbHashTable table = lb_hash_table(3 * sizeof(double));
  for (int32_t i = 0; i < 32 * 32 * 32; i++) {
    double point[3] = { i % 32, i / 32 % 32, i / 1024 };
    assert_int_equal(lb_hash_table_add(&table, point), i);
  }
  size_t longest = 0, run = 0;
  for (size_t i = 0; i < table.slot_count; i++) {
    run = table.slots[i] ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  if (longest > 100) fail_msg("a run of %zu slots is taken, at most 100 expected", longest);
  lb_hash_table_release(&table);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  bool complete = false;
  for (int64_t n = 0; !complete; n++) {
    assert_true(n < 100);
    CheckedHeap heap = { .fail_at = n };
    lbAllocator failing = checked_allocator(&heap);
    lb_set_allocator(&failing);
    lbHashTable table = lb_hash_table(sizeof(int32_t));
    complete = true;
    for (int32_t i = 0; i < 1000; i++) {
      int32_t number = lb_hash_table_add(&table, &i);
      if (number < 0) { // what was there is still there
        complete = false;
        for (int32_t k = 0; k < i; k++) assert_int_equal(lb_hash_table_find(&table, &k), k);
        number = lb_hash_table_add(&table, &i);
      }
      assert_int_equal(number, i);
    }
    lb_hash_table_release(&table);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_are_numbered_by_first_appearance),
    cmocka_unit_test(an_empty_table_finds_nothing_and_can_be_used_again),
    cmocka_unit_test(keys_that_differ_in_one_bit_are_told_apart),
    cmocka_unit_test(points_of_a_grid_spread_over_the_slots),
    cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
