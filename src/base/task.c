// The task hook and the parallel loop over it.
#include "limber/base.h"

static struct {
  lbTaskRunner *run;
  void *context;
} runner;

void lb_set_task_runner(lbTaskRunner *run, void *runner_context) {
  runner.run = run;
  runner.context = runner_context;
}

typedef struct RangeLoop {
  int32_t count, grain;
  lbRangeTask *task;
  void *context;
} RangeLoop;

static void run_range(int32_t index, void *context) {
  const RangeLoop *loop = context;
  int32_t begin = index * loop->grain;
  int32_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
  loop->task(begin, end, loop->context);
}

void lb_parallel_for(int32_t count, int32_t grain, lbRangeTask *task, void *context) {
  LB_ASSERT(grain > 0);
  if (count <= 0) return;
  RangeLoop loop = { count, grain, task, context };
  int32_t range_count = (count - 1) / grain + 1;
  if (runner.run && range_count > 1) {
    runner.run(range_count, run_range, &loop, runner.context);
    return;
  }
  for (int32_t i = 0; i < range_count; i++) run_range(i, &loop);
}
