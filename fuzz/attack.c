// attack FOLDER files COUNT SEED: mutated seeds of FOLDER/<reader> through every reader.
// attack FOLDER calls COUNT SEED: random calls on bodies, batches, worlds and haptics.
//
// Under sanitizers a fault ends the program; the seed makes it come again. Every reader is the fuzz
// target of its name (fuzz_x.c, compiled as attack_x). What a reader takes of memory is watched
// too: more than MOST_BYTES for seeds of some kilobytes is a fault. Run by fuzz/attack.sh.
#include "attack.h"

#include "limber/base.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SEEDS = 64, MOST_SEED_BYTES = 1 << 20 };
#define MOST_BYTES ((size_t)1 << 30) // budgets have a floor of 64 MiB, some readers need several
#define MOST_SECONDS 20.0            // of the processor, for one file

typedef int Target(const uint8_t *data, size_t size);
#define READER(name) Target attack_##name;
#include "attack_readers.h"
#undef READER

typedef struct Reader {
  const char *name;
  Target *target;
} Reader;

#define READER(name) { #name, attack_##name },
static const Reader readers[] = {
#include "attack_readers.h"
};
enum { READER_COUNT = sizeof readers / sizeof *readers };

// ---- memory ------------------------------------------------------------------------------------

typedef struct Heap {
  size_t live, peak;
} Heap;

static void *allocate(size_t bytes, void *context) {
  Heap *heap = context;
  if (heap->live + bytes > MOST_BYTES) {
    heap->peak = heap->live + bytes; // told at the end of the file
    return NULL;
  }
  size_t *block =
      aligned_alloc(LB_ALIGNMENT, (bytes + 2 * LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT);
  if (!block) return NULL;
  block[0] = bytes;
  heap->live += bytes;
  if (heap->live > heap->peak) heap->peak = heap->live;
  return (char *)block + LB_ALIGNMENT;
}

static void release(void *block, void *context) {
  size_t *start = (size_t *)((char *)block - LB_ALIGNMENT);
  ((Heap *)context)->live -= start[0];
  free(start);
}

// ---- files -------------------------------------------------------------------------------------

typedef struct Seeds {
  uint8_t *data[MOST_SEEDS];
  size_t bytes[MOST_SEEDS];
  int count;
} Seeds;

static void load_seed(Seeds *seeds, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return;
  uint8_t *data = malloc(MOST_SEED_BYTES);
  seeds->bytes[seeds->count] = data ? fread(data, 1, MOST_SEED_BYTES, file) : 0;
  seeds->data[seeds->count] = data;
  if (data) seeds->count++;
  fclose(file);
}

static bool load_seeds(Seeds *seeds, const char *folder, const char *reader) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, reader);
  DIR *entries = opendir(path);
  for (struct dirent *entry; entries && seeds->count < MOST_SEEDS && (entry = readdir(entries));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s/%s", folder, reader, entry->d_name);
    load_seed(seeds, path);
  }
  if (entries) closedir(entries);
  return seeds->count > 0;
}

static void overwrite(attackRandom *random, uint8_t *data, size_t bytes) {
  static const char *const words[] = { "-1",   "0",          "999999999999", "nan", "1e999", "\xff",
                                       "\x1b", "2147483647", "4294967295",   "/",   "..",    "{" };
  const char *word = words[attack_below(random, sizeof words / sizeof *words)];
  size_t length = strlen(word), place = attack_below(random, (uint32_t)bytes);
  for (size_t i = 0; i < length && place + i < bytes; i++) data[place + i] = (uint8_t)word[i];
}

static void move_block(attackRandom *random, uint8_t *data, size_t bytes) {
  size_t from = attack_below(random, (uint32_t)bytes), to = attack_below(random, (uint32_t)bytes);
  size_t most = bytes - (from > to ? from : to);
  memmove(data + to, data + from, attack_below(random, (uint32_t)(most < 256 ? most : 256) + 1));
}

// One to eight changes: bits, bytes, numbers of four bytes, words, blocks, a shorter end.
static size_t mutate(attackRandom *random, uint8_t *data, size_t bytes) {
  for (uint32_t i = attack_below(random, 8) + 1; i > 0 && bytes > 0; i--) {
    size_t place = attack_below(random, (uint32_t)bytes);
    uint32_t value = (uint32_t)attack_bits(random);
    switch (attack_below(random, 7)) {
    case 0: data[place] ^= (uint8_t)(1u << value % 8); break;
    case 1: data[place] = (uint8_t)value; break;
    case 2:
      value = value % 3 == 0 ? UINT32_MAX : value % 3 == 1 ? 0x7fffffff : value;
      memcpy(data + place, &value, bytes - place < 4 ? bytes - place : 4);
      break;
    case 3: bytes = attack_below(random, 4) ? bytes : place; break;
    case 4: move_block(random, data, bytes); break;
    case 5: data[place] = (uint8_t)(" \n0-9e.,{}[]\""[value % 13]); break;
    default: overwrite(random, data, bytes); break;
    }
  }
  return bytes;
}

static bool attack_reader(attackRandom *random, const Reader *reader, const Seeds *seeds,
                          Heap *heap) {
  static uint8_t data[MOST_SEED_BYTES];
  uint32_t seed = attack_below(random, (uint32_t)seeds->count);
  memcpy(data, seeds->data[seed], seeds->bytes[seed]);
  size_t bytes = mutate(random, data, seeds->bytes[seed]);
  clock_t begin = clock();
  heap->peak = heap->live;
  size_t live = heap->live;
  reader->target(data, bytes);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  if (heap->peak <= MOST_BYTES && seconds <= MOST_SECONDS && heap->live == live) return true;
  printf("%s: %zu bytes of memory, %.1f s, %zu bytes lost\n", reader->name, heap->peak, seconds,
         heap->live - live);
  FILE *file = fopen("attack-finding", "wb");
  if (file) fwrite(data, 1, bytes, file), fclose(file);
  return false;
}

static bool attack_files(attackRandom *random, int64_t count, const char *folder) {
  static Seeds seeds[READER_COUNT];
  Heap heap = { 0 };
  lbAllocator allocator = { allocate, release, &heap };
  int64_t done = 0, bad = 0;
  for (int r = 0; r < READER_COUNT; r++)
    if (!load_seeds(&seeds[r], folder, readers[r].name)) {
      printf("%s/%s has no seeds\n", folder, readers[r].name);
      return false;
    }
  lb_set_allocator(&allocator);
  for (; done < count; done++)
    bad +=
        !attack_reader(random, &readers[done % READER_COUNT], &seeds[done % READER_COUNT], &heap);
  lb_set_allocator(NULL);
  printf("%lld mutated files through %d readers, %lld findings\n", (long long)done, READER_COUNT,
         (long long)bad);
  return bad == 0;
}

int main(int count, char **words) {
  if (count != 5) {
    fprintf(stderr, "usage: attack SEEDS files|calls|contact COUNT SEED\n");
    return 2;
  }
  attackRandom random = { strtoull(words[4], NULL, 10) };
  int64_t wanted = strtoll(words[3], NULL, 10);
  if (strcmp(words[2], "files") == 0) return !attack_files(&random, wanted, words[1]);
  char small[4096], bundle[4096];
  snprintf(small, sizeof small, "%s/model/small.glb", words[1]);
  snprintf(bundle, sizeof bundle, "%s/model/bundle.glb", words[1]);
  const char *const models[] = { small, bundle };
  bool contact = strcmp(words[2], "contact") == 0;
  int64_t made = attack_api(&random, wanted, models, 2, contact);
  printf("%lld random calls\n", (long long)made);
  return made < wanted;
}
