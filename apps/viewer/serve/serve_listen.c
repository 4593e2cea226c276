// A listening socket on 127.0.0.1, made here rather than by the HTTP library, which does not tell
// why it failed.
#include "serve/serve_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static lbStatus fail_to_listen(int32_t port, int problem, lbError *err) {
  if (problem == EADDRINUSE && port > 0)
    return lb_fail(err, LB_ERR_FILE,
                   "port %" PRId32 " is taken by another program; choose another with --port, or "
                   "--port 0 for any free one",
                   port);
  if (problem == EACCES || problem == EPERM)
    return lb_fail(err, LB_ERR_FILE,
                   "no permission to listen on port %" PRId32 "; choose one above 1023 with --port",
                   port);
  return lb_fail(err, LB_ERR_FILE, "cannot listen on 127.0.0.1, port %" PRId32 ": %s", port,
                 strerror(problem));
}

int32_t vw_listener_port(int listener) {
  struct sockaddr_in address = { 0 };
  socklen_t bytes = sizeof address;
  if (getsockname(listener, (struct sockaddr *)&address, &bytes) != 0) return -1;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : -1;
}

lbStatus vw_listener_open(int32_t port, int *out_socket, int32_t *out_port, lbError *err) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int yes = 1; // a port whose last connections still linger is free again at once
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, BACKLOG) != 0) {
    int problem = errno;
    if (listener >= 0) close(listener);
    return fail_to_listen(port, problem, err);
  }
  *out_socket = listener;
  *out_port = vw_listener_port(listener);
  return LB_OK;
}
