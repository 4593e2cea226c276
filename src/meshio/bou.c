// Vega .bou: vertex numbers counted from 1, separated by commas, blanks or line ends.
#include "meshio/formats.h"
#include "meshio/scan.h"

static void skip_bou_separators(lbText *text) {
  for (;;) {
    lb_text_skip_space(text);
    if (lb_text_at_end(text)) return;
    if (*text->next == '#')
      lb_text_skip_line(text);
    else if (*text->next == ',')
      text->next++;
    else
      return;
  }
}

lbStatus lb_read_bou(const char *path, const char *content, size_t bytes, int32_t **ids,
                     int32_t *count, lbError *err) {
  lbStatus status = LB_OK;
  lbScan scan = lb_scan(path, content, bytes);
  int32_t *list = NULL;
  size_t used = 0, capacity = 0;
  for (;;) {
    int64_t number = 0;
    skip_bou_separators(&scan.text);
    if (!lb_grow((void **)&list, &capacity, used + 1, sizeof *list)) {
      status = lb_fail_memory(err);
      goto done;
    }
    if (lb_text_at_end(&scan.text)) break;
    if (!lb_text_integer(&scan.text, &number)) {
      char word[32];
      lb_text_word(&scan.text, word, sizeof word);
      status = lb_scan_fail(&scan, err, "expected a vertex number, found \"%s\"", word);
      goto done;
    }
    if (number < 1 || number > INT32_MAX || used >= INT32_MAX) {
      status = lb_scan_fail(&scan, err, "there is no vertex %lld, they are counted from 1",
                            (long long)number);
      goto done;
    }
    list[used++] = (int32_t)(number - 1);
  }
  *ids = list;
  *count = (int32_t)used;
  list = NULL;
done:
  lb_free(list);
  return status;
}
