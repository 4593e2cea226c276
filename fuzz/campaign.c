// campaign [OPTIONS]: random scenes of bodies in contact, judged after every step.
//
//   --count N     scenes of each kind (1)
//   --first N     the first seed (0)
//   --kind NAME   only these; may be given several times
//   --write DIR   where the scenes of failures go, as files for `limber run`
//   --seconds S   no further scene is begun after so much processor time
//   --deep SHARE  fails, too, where a greater share of pair steps is deep
//   --trace       prints each step: what the guard did, the energy and flags of each body
//
// Prints a line for each failure, with the words that play that scene alone, and a table. Ends with
// 1 where a scene failed. A step that takes long is told, and is no failure.
#define _POSIX_C_SOURCE 200809L
#include "campaign.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_KINDS = 16, MOST_STEPS = 1000 };
static const double slow_step = 0.25; // s of the processor: such a step is reported
enum { HANG = 60 };                   // s: a step that takes longer hangs

typedef struct Options {
  int64_t count, first;
  const char *kinds[MOST_KINDS], *folder;
  int kind_count;
  double seconds, deep;
  bool trace;
} Options;

typedef struct Tally { // of a kind
  int64_t scenes, failures, pair_steps, deep_steps, crossing_steps, slow_steps;
  double energy, deepest, ratio, slowest; // ratio: of the slowest step to the median of its scene
} Tally;

// A step that hangs or crashes is left by a jump; its world is not released.
static sigjmp_buf before_step;

static void leave_step(int signal_number) { siglongjmp(before_step, signal_number); }

static void catch_signals(void) {
  static const int signals[] = { SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
  struct sigaction action = { .sa_handler = leave_step };
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}

// Why a step did not end; NULL: it did.
static const char *guarded_step(lbWorld *world, double h) {
  int signal_number = sigsetjmp(before_step, 1);
  if (signal_number == 0) {
    alarm(HANG);
    lb_world_step(world, h);
  }
  alarm(0);
  return signal_number == 0 ? NULL : signal_number == SIGALRM ? "hangs" : "crashes";
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void count_times(double *times, int32_t count, Tally *tally) {
  qsort(times, (size_t)count, sizeof *times, by_value);
  for (int32_t i = 0; i < count; i++) tally->slow_steps += times[i] > slow_step;
  double slowest = times[count - 1], median = times[count / 2];
  tally->slowest = fmax(tally->slowest, slowest);
  tally->ratio = fmax(tally->ratio, slowest / median);
}

static void count_verdict(const campaignVerdict *v, Tally *tally) {
  tally->scenes++;
  tally->failures += v->failure != NULL;
  tally->pair_steps += v->pair_steps, tally->deep_steps += v->deep_steps;
  tally->crossing_steps += v->crossing_steps;
  tally->energy = fmax(tally->energy, v->energy_most);
  tally->deepest = fmax(tally->deepest, v->deepest);
}

static void tell_failure(const campaignScene *scene, const campaignVerdict *v,
                         const Options *options) {
  char path[600];
  printf("%s in step %d: campaign --kind %s --first %lld", v->failure, (int)v->step, scene->kind,
         (long long)scene->seed);
  snprintf(path, sizeof path, "%.500s/%s-%lld.json", options->folder ? options->folder : "",
           scene->kind, (long long)scene->seed);
  if (options->folder && campaign_write(scene, path)) printf("; limber run %s", path);
  printf(" (%.3g J more than at the start, %.3g m/s)\n", v->energy, v->speed);
  fflush(stdout);
}

// J: kinetic + elastic energy.
static void trace_step(const campaignScene *scene, const lbWorld *world, int32_t step) {
  lbGuardCounts guard = lb_world_guard(world);
  printf("%4d: guard %lld %lld %lld", (int)step, (long long)guard.restored, (long long)guard.halved,
         (long long)guard.damped);
  for (int32_t i = 0; i < scene->body_count; i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, scene->bodies[i].id));
    printf("  b%d %.2g+%.2g z %.3f flags %x", (int)i, r.kinetic, r.elastic, r.centre.z,
           (unsigned)lb_world_body_flags(world, scene->bodies[i].id));
  }
  printf("\n");
}

static lbStatus play(int kind, int64_t seed, const Options *options, Tally *tally, lbError *err) {
  campaignScene scene;
  campaignVerdict verdict = { 0 };
  double times[MOST_STEPS];
  lbWorld *world = NULL;
  lbStatus status = campaign_make(kind, (uint64_t)seed, &scene, err);
  if (!status) status = campaign_build(&scene, &world, err);
  campaignJudge *judge = status ? NULL : campaign_judge(&scene, world);
  if (!status && !judge) status = LB_ERR_MEMORY;
  int32_t steps = (int32_t)lround(scene.seconds / scene.h), taken = 0;
  while (!status && taken < steps && !verdict.failure) {
    double start = processor_seconds();
    const char *unfinished = guarded_step(world, scene.h);
    times[taken] = processor_seconds() - start;
    if (unfinished) {
      verdict.failure = unfinished, verdict.step = taken++;
      world = NULL; // in an unknown state
      break;
    }
    if (options->trace) trace_step(&scene, world, taken);
    campaign_judge_step(judge, world, taken++, &verdict);
  }
  if (!status) {
    count_times(times, taken, tally);
    count_verdict(&verdict, tally);
    if (verdict.failure) tell_failure(&scene, &verdict, options);
  }
  campaign_judge_destroy(judge);
  lb_world_destroy(world);
  campaign_release(&scene);
  return status;
}

static double share_of(int64_t part, int64_t all) { return all > 0 ? (double)part / all : 0; }

static void print_tally(const char *name, const Tally *t) {
  printf("%-8s %6lld %6lld %8.2f %8.2f %9.3g %9.3g %8.1f %8.1f %5lld\n", name, (long long)t->scenes,
         (long long)t->failures, 100 * share_of(t->deep_steps, t->pair_steps),
         100 * share_of(t->crossing_steps, t->pair_steps), t->deepest, t->energy, 1e3 * t->slowest,
         t->ratio, (long long)t->slow_steps);
}

static bool wants(const Options *options, const char *kind) {
  bool wanted = options->kind_count == 0;
  for (int i = 0; i < options->kind_count; i++)
    wanted = wanted || strcmp(options->kinds[i], kind) == 0;
  return wanted;
}

// Kinds in turns, so that all have their share of the time.
static int run(const Options *options) {
  Tally tallies[MOST_KINDS] = { 0 }, all = { 0 };
  int kinds = campaign_kind_count();
  lbError err = { 0 };
  lbStatus status = LB_OK;
  double begun = processor_seconds();
  for (int64_t i = 0; i < options->count && !status; i++)
    for (int k = 0; k < kinds && !status; k++)
      if (wants(options, campaign_kind(k)) && processor_seconds() - begun < options->seconds)
        status = play(k, options->first + i, options, &tallies[k], &err);
  if (status) {
    fprintf(stderr, "campaign: %s\n", err.text);
    return 2;
  }
  printf("%-8s %6s %6s %8s %8s %9s %9s %8s %8s %5s\n", "kind", "scenes", "failed", "deep %",
         "cross %", "deepest", "rise", "ms most", "medians", "slow");
  for (int k = 0; k < kinds; k++) {
    if (tallies[k].scenes == 0) continue;
    print_tally(campaign_kind(k), &tallies[k]);
    all.scenes += tallies[k].scenes, all.failures += tallies[k].failures;
    all.pair_steps += tallies[k].pair_steps, all.deep_steps += tallies[k].deep_steps;
  }
  double deep = share_of(all.deep_steps, all.pair_steps);
  printf("%lld scenes, %lld failed, %.2f %% of pair steps deeper than 2 %%\n",
         (long long)all.scenes, (long long)all.failures, 100 * deep);
  if (deep > options->deep) printf("more than %.2f %% are deep\n", 100 * options->deep);
  return all.failures > 0 || deep > options->deep || all.scenes == 0;
}

static bool read_options(int count, char **words, Options *options) {
  for (int i = 1; i < count; i += 2) {
    const char *value = i + 1 < count ? words[i + 1] : NULL;
    if (strcmp(words[i], "--trace") == 0) {
      options->trace = true;
      i--;
      continue;
    }
    if (!value) return false;
    if (strcmp(words[i], "--count") == 0)
      options->count = strtoll(value, NULL, 10);
    else if (strcmp(words[i], "--first") == 0)
      options->first = strtoll(value, NULL, 10);
    else if (strcmp(words[i], "--kind") == 0 && options->kind_count < MOST_KINDS)
      options->kinds[options->kind_count++] = value;
    else if (strcmp(words[i], "--write") == 0)
      options->folder = value;
    else if (strcmp(words[i], "--seconds") == 0)
      options->seconds = strtod(value, NULL);
    else if (strcmp(words[i], "--deep") == 0)
      options->deep = strtod(value, NULL);
    else
      return false;
  }
  return true;
}

int main(int count, char **words) {
  Options options = { .count = 1, .seconds = INFINITY, .deep = INFINITY };
  lbError err;
  if (!read_options(count, words, &options)) {
    fprintf(stderr, "campaign [--count N] [--first N] [--kind NAME]... [--write DIR] "
                    "[--seconds S] [--deep SHARE] [--trace]\n");
    return 2;
  }
  if (lb_build_start(1, &err)) return 2;
  catch_signals();
  int result = run(&options);
  campaign_release_models();
  lb_build_stop();
  return result;
}
