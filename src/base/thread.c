// A thread and a sleep: POSIX, Windows, or none (pages).
#define _POSIX_C_SOURCE 200809L
#include "base/thread.h"

#define WATCH_S 6e-5 // the end of a sleep is spent watching the clock: wake-ups are this late

#if defined(__EMSCRIPTEN__)

lbStatus lb_thread_start(void (*work)(void *context), void *context, lbThread **out, lbError *err) {
  (void)work, (void)context, (void)out;
  return lb_fail(err, LB_ERR_UNSUPPORTED, "threads are not available in a page");
}
void lb_thread_join(lbThread *thread) { (void)thread; }
bool lb_thread_hurry(void) { return false; }
static void sleep_until_about(double moment) { (void)moment; }

#elif defined(_WIN32)

#include <windows.h>

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2 // Windows 10, 1803 and later
#endif

struct lbThread {
  HANDLE handle;
  void (*work)(void *context);
  void *context;
};

static DWORD WINAPI run_thread(void *argument) {
  lbThread *thread = argument;
  thread->work(thread->context);
  return 0;
}

lbStatus lb_thread_start(void (*work)(void *context), void *context, lbThread **out, lbError *err) {
  lbThread *thread = lb_alloc(1, sizeof *thread);
  if (!thread) return lb_fail_memory(err);
  thread->work = work, thread->context = context;
  thread->handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
  if (!thread->handle) {
    lb_free(thread);
    return lb_fail(err, LB_ERR_MEMORY, "the system could not start a thread");
  }
  *out = thread;
  return LB_OK;
}

void lb_thread_join(lbThread *thread) {
  if (!thread) return;
  WaitForSingleObject(thread->handle, INFINITE);
  CloseHandle(thread->handle);
  lb_free(thread);
}

bool lb_thread_hurry(void) {
  return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL) != 0;
}

static void sleep_until_about(double moment) {
  double left = moment - lb_seconds();
  HANDLE timer =
      CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
  LARGE_INTEGER due = { .QuadPart = -(LONGLONG)(left * 1e7) }; // 100 ns, from now on
  if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
    WaitForSingleObject(timer, INFINITE);
  else if (left > 0.002)
    Sleep((DWORD)(left * 1e3) - 1);
  if (timer) CloseHandle(timer);
}

#else

#include <pthread.h>
#include <sched.h>
#include <time.h>

struct lbThread {
  pthread_t thread;
  void (*work)(void *context);
  void *context;
};

static void *run_thread(void *argument) {
  lbThread *thread = argument;
  thread->work(thread->context);
  return NULL;
}

lbStatus lb_thread_start(void (*work)(void *context), void *context, lbThread **out, lbError *err) {
  lbThread *thread = lb_alloc(1, sizeof *thread);
  if (!thread) return lb_fail_memory(err);
  thread->work = work, thread->context = context;
  pthread_attr_t attributes;
  bool started = pthread_attr_init(&attributes) == 0;
  if (started) {
    pthread_attr_setstacksize(&attributes, (size_t)8 << 20); // whatever `ulimit -s` says
    started = pthread_create(&thread->thread, &attributes, run_thread, thread) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!started) {
    lb_free(thread);
    return lb_fail(err, LB_ERR_MEMORY, "the system could not start a thread");
  }
  *out = thread;
  return LB_OK;
}

void lb_thread_join(lbThread *thread) {
  if (!thread) return;
  pthread_join(thread->thread, NULL);
  lb_free(thread);
}

bool lb_thread_hurry(void) {
  struct sched_param parameters = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
}

static void sleep_until_about(double moment) {
#if defined(__APPLE__)
  double left = moment - lb_seconds();
  struct timespec span = { (time_t)left, (long)(1e9 * (left - (double)(time_t)left)) };
  nanosleep(&span, NULL);
#else
  struct timespec until = { (time_t)moment, (long)(1e9 * (moment - (double)(time_t)moment)) };
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
#endif
}

#endif

void lb_sleep_until(double moment) {
  if (moment - lb_seconds() > WATCH_S) sleep_until_about(moment - WATCH_S);
  while (lb_seconds() < moment) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}
