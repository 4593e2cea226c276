// viewer/serve_listen.h: a listening socket that only this machine reaches.
#ifndef VW_SERVE_LISTEN_H
#define VW_SERVE_LISTEN_H

#include "limber/base.h"

// Listens on 127.0.0.1; port 0: any free one. The error says whether the port is taken.
lbStatus vw_listener_open(int32_t port, int *out_socket, int32_t *out_port, lbError *err);

// The port a socket is bound to; -1 when it is no such socket.
int32_t vw_listener_port(int listener);

#endif
