// Files and folders that are in the making: lb_remove_unfinished removes them when a program has to
// end at once. The caller keeps the path alive until it is taken off the list.
#ifndef LB_BASE_UNFINISHED_H
#define LB_BASE_UNFINISHED_H

void lb_unfinished_add(const char *path);
void lb_unfinished_done(const char *path); // NULL, or one that is not on the list, is legal

#endif
