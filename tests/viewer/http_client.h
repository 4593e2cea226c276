// A client that sends exactly the bytes it is told, for what no browser would send.
#ifndef LB_TESTS_HTTP_CLIENT_H
#define LB_TESTS_HTTP_CLIENT_H

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

typedef struct Reply {
  int status;  // 0: the connection ended without an answer
  char *bytes; // all of it, with a zero behind
  size_t byte_count;
  const char *body; // in bytes
  size_t body_byte_count;
} Reply;

static inline int connect_to(uint32_t host, int32_t port) {
  int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
  address.sin_addr.s_addr = htonl(host);
  struct timeval limit = { .tv_sec = 20 };
  setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(line, (struct sockaddr *)&address, sizeof address) == 0) return line;
  close(line);
  return -1;
}

// Sends what can be sent: the server may answer and close before it has read all.
static inline void send_bytes(int line, const void *bytes, size_t count) {
  for (size_t sent = 0; sent < count;) {
    ssize_t step = send(line, (const char *)bytes + sent, count - sent, MSG_NOSIGNAL);
    if (step <= 0) return;
    sent += (size_t)step;
  }
}

static inline void read_reply(int line, Reply *reply) {
  *reply = (Reply){ 0 };
  size_t capacity = 1 << 16;
  reply->bytes = malloc(capacity + 1);
  for (;;) {
    if (reply->byte_count == capacity) reply->bytes = realloc(reply->bytes, (capacity *= 2) + 1);
    ssize_t step = recv(line, reply->bytes + reply->byte_count, capacity - reply->byte_count, 0);
    if (step <= 0) break;
    reply->byte_count += (size_t)step;
  }
  reply->bytes[reply->byte_count] = 0;
  sscanf(reply->bytes, "HTTP/1.1 %d", &reply->status);
  char *end = strstr(reply->bytes, "\r\n\r\n");
  reply->body = end ? end + 4 : reply->bytes + reply->byte_count;
  reply->body_byte_count = (size_t)(reply->bytes + reply->byte_count - reply->body);
}

static inline Reply exchange(int32_t port, const void *bytes, size_t count) {
  Reply reply = { 0 };
  int line = connect_to(INADDR_LOOPBACK, port);
  assert_true(line >= 0);
  send_bytes(line, bytes, count);
  read_reply(line, &reply);
  close(line);
  return reply;
}

// A request with its own Host; `headers` are whole lines with their ends.
static inline Reply ask(int32_t port, const char *method, const char *path, const char *headers,
                        const void *body, size_t body_byte_count) {
  size_t room = strlen(path) + strlen(headers) + 256;
  char *text = malloc(room + body_byte_count);
  int count =
      snprintf(text, room, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s\r\n",
               method, path, (int)port, headers);
  if (body_byte_count > 0) memcpy(text + count, body, body_byte_count);
  Reply reply = exchange(port, text, (size_t)count + body_byte_count);
  free(text);
  return reply;
}

static inline Reply get(int32_t port, const char *path) {
  return ask(port, "GET", path, "", "", 0);
}

// The value of a header; "" when it is not there. Valid until the next call on this thread.
static inline const char *header(const Reply *reply, const char *name) {
  static _Thread_local char value[1024];
  size_t count = strlen(name);
  const char *at = reply->bytes;
  while ((at = strstr(at, "\r\n")) && at + 2 < reply->body - 2) {
    at += 2;
    if (strncasecmp(at, name, count) != 0 || at[count] != ':') continue;
    at += count + 1 + strspn(at + count + 1, " ");
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\r\n"), at);
    return value;
  }
  return "";
}

static inline bool body_is(const Reply *reply, const void *bytes, size_t count) {
  return reply->body_byte_count == count && memcmp(reply->body, bytes, count) == 0;
}

// Asks, checks the status and forgets the rest.
#define check_status(reply_, expected)                                                             \
  do {                                                                                             \
    Reply got_reply_ = (reply_);                                                                   \
    int got_ = got_reply_.status;                                                                  \
    free(got_reply_.bytes);                                                                        \
    if (got_ != (expected)) fail_msg("%s: status %d, expected %d", #reply_, got_, (expected));     \
  } while (0)

#endif
