// A pool of threads that draw task numbers from one shared counter.
//
// A loop is open between publish and close. A worker joins an open loop under the lock; the caller
// closes it when the counter has run out and waits for those that joined, so workers that wake late
// cost nothing. Loops often follow each other at once (passes of a solver), so an idle worker
// spins for some microseconds before it sleeps, where each thread has a processor. Which
// thread runs which task is chance; the tasks themselves are not.
#include "threads/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };
enum { LOOKS = 5000 }; // for something to do, 50 to 250 us
// Of a worker's stack, whatever `ulimit -s` says: kernels keep blocks of some hundred kB there.
#define STACK_BYTES ((size_t)8 << 20)

typedef struct Loop {
  int32_t count;
  lbTask *task;
  void *context;
} Loop;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t work, rest; // to the workers; to the caller
  pthread_t *workers;        // (worker_count)
  int32_t worker_count;
  atomic_bool ending;
  int32_t looks;           // LOOKS or 0
  Loop loop;               // valid while open
  bool open;               // workers may join
  _Atomic uint64_t number; // of the loop, so that a worker joins it once
  _Atomic int32_t joined;  // workers inside the loop
  _Atomic int64_t next;
  atomic_flag busy; // a loop has the pool
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .work = PTHREAD_COND_INITIALIZER,
           .rest = PTHREAD_COND_INITIALIZER,
           .busy = ATOMIC_FLAG_INIT };

static _Thread_local bool inside_task;

static void draw_tasks(const Loop *loop) {
  for (;;) {
    int64_t index = atomic_fetch_add(&pool.next, 1);
    if (index >= loop->count) return;
    loop->task((int32_t)index, loop->context);
  }
}

// Where threads share a processor with others after all, those come first now and then.
static void pause_shortly(int32_t look) {
  enum { PATIENCE = 64 };
  if (look % PATIENCE == PATIENCE - 1) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void look_for_loop(uint64_t seen) {
  for (int32_t i = 0; i < pool.looks; i++) {
    if (atomic_load(&pool.number) != seen || atomic_load(&pool.ending)) return;
    pause_shortly(i);
  }
}

static void look_for_end(void) {
  for (int32_t i = 0; i < pool.looks && atomic_load(&pool.joined); i++) pause_shortly(i);
}

static void *work(void *unused) {
  (void)unused;
  uint64_t seen = 0;
  inside_task = true;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (!pool.ending && !(pool.open && pool.number != seen))
      pthread_cond_wait(&pool.work, &pool.lock);
    if (pool.ending) break;
    Loop loop = pool.loop;
    seen = pool.number;
    pool.joined++;
    pthread_mutex_unlock(&pool.lock);
    draw_tasks(&loop);
    pthread_mutex_lock(&pool.lock);
    if (--pool.joined == 0) pthread_cond_signal(&pool.rest);
    pthread_mutex_unlock(&pool.lock);
    look_for_loop(seen);
    pthread_mutex_lock(&pool.lock);
  }
  pthread_mutex_unlock(&pool.lock);
  return NULL;
}

static void publish_loop(Loop loop) {
  pthread_mutex_lock(&pool.lock);
  pool.loop = loop;
  pool.open = true;
  pool.number++;
  atomic_store(&pool.next, 0);
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.lock);
}

static void close_loop(void) {
  pthread_mutex_lock(&pool.lock);
  pool.open = false;
  pthread_mutex_unlock(&pool.lock);
  look_for_end();
  pthread_mutex_lock(&pool.lock);
  while (pool.joined) pthread_cond_wait(&pool.rest, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

static void run_parallel_loop(int32_t count, lbTask *task, void *context, void *unused) {
  (void)unused;
  if (inside_task || count < 2 || atomic_flag_test_and_set(&pool.busy)) {
    for (int32_t i = 0; i < count; i++) task(i, context);
    return;
  }
  Loop loop = { count, task, context };
  inside_task = true;
  publish_loop(loop);
  draw_tasks(&loop);
  close_loop();
  inside_task = false;
  atomic_flag_clear(&pool.busy);
}

void lb_threads_stop(void) {
  if (!pool.workers) return;
  lb_set_task_runner(NULL, NULL);
  pthread_mutex_lock(&pool.lock);
  pool.ending = true;
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.lock);
  for (int32_t i = 0; i < pool.worker_count; i++) pthread_join(pool.workers[i], NULL);
  lb_free(pool.workers);
  pool.workers = NULL;
  pool.worker_count = 0;
  pool.ending = false;
}

lbStatus lb_threads_start(int32_t count, lbError *err) {
  if (count < 0 || count > MOST_THREADS)
    return lb_fail(err, LB_ERR_ARGUMENT, "%d threads requested, choose 0 (automatic) to %d", count,
                   MOST_THREADS);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (count == 0)
    count = processors < 1 ? 1 : processors > MOST_THREADS ? MOST_THREADS : (int32_t)processors;
  lb_threads_stop();
  pthread_attr_t attributes;
  pool.workers = lb_alloc((size_t)count, sizeof *pool.workers);
  if (!pool.workers || pthread_attr_init(&attributes)) return lb_fail_memory(err);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pool.looks = count <= processors ? LOOKS : 0;
  while (pool.worker_count < count - 1) {
    if (pthread_create(&pool.workers[pool.worker_count], &attributes, work, NULL)) {
      int32_t started = pool.worker_count + 1;
      lb_threads_stop();
      pthread_attr_destroy(&attributes);
      return lb_fail(err, LB_ERR_MEMORY,
                     "only %d of %d threads could be started; ask for fewer, or for more memory "
                     "(ulimit -v)",
                     started, count);
    }
    pool.worker_count++;
  }
  pthread_attr_destroy(&attributes);
  lb_set_task_runner(run_parallel_loop, NULL);
  return LB_OK;
}

int32_t lb_threads_count(void) { return pool.worker_count + 1; }
