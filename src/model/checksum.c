// The 64-bit checksum of model files; docs/model-file.md has it in words.
//
// Four lanes take the 8-byte words in turn: s <- rotate(s ^ word, 29) * odd. Every step is one to
// one in the state and in the word, and so is the way the lanes and the length are put together:
// a change inside one word always changes the sum.
#include "model/container.h"

#include <string.h>

#define LANES 4
#define BLOCK_BYTES (8 * LANES)
#define ODD UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t mix_checksum_word(uint64_t state, uint64_t word) {
  uint64_t mixed = state ^ word;
  return (mixed << 29 | mixed >> 35) * ODD;
}

// Little-endian on every machine; compilers make one load of it.
static inline uint64_t word_at(const uint8_t *b) {
  return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
         (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static void add_checksum_blocks(uint64_t state[LANES], const uint8_t *bytes, size_t block_count) {
  uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
  for (size_t i = 0; i < block_count; i++, bytes += BLOCK_BYTES) {
    a = mix_checksum_word(a, word_at(bytes));
    b = mix_checksum_word(b, word_at(bytes + 8));
    c = mix_checksum_word(c, word_at(bytes + 16));
    d = mix_checksum_word(d, word_at(bytes + 24));
  }
  state[0] = a, state[1] = b, state[2] = c, state[3] = d;
}

static uint64_t finish_checksum(const uint64_t state[LANES], size_t byte_count) {
  uint64_t sum = mix_checksum_word(0, byte_count);
  for (int i = 0; i < LANES; i++) sum = mix_checksum_word(sum, state[i]);
  sum = (sum ^ sum >> 32) * ODD;
  return sum ^ sum >> 29;
}

uint64_t lb_checksum(const uint8_t *bytes, size_t byte_count, size_t hole) {
  uint64_t state[LANES] = { 1, 2, 3, 4 };
  uint8_t block[BLOCK_BYTES];
  size_t whole = byte_count / BLOCK_BYTES, rest = byte_count % BLOCK_BYTES, done = 0;
  if (hole < byte_count) {
    LB_ASSERT(hole % 8 == 0 && hole / BLOCK_BYTES < whole);
    done = hole / BLOCK_BYTES + 1;
    add_checksum_blocks(state, bytes, done - 1);
    memcpy(block, bytes + (done - 1) * BLOCK_BYTES, BLOCK_BYTES);
    memset(block + hole % BLOCK_BYTES, 0, 8);
    add_checksum_blocks(state, block, 1);
  }
  add_checksum_blocks(state, bytes + done * BLOCK_BYTES, whole - done);
  if (rest) {
    memset(block, 0, sizeof block);
    memcpy(block, bytes + whole * BLOCK_BYTES, rest);
    add_checksum_blocks(state, block, 1);
  }
  return finish_checksum(state, byte_count);
}
