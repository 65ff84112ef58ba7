// SPDX-License-Identifier: MIT
// libevent echo, single thread. argv: port bev|raw
//  bev: bufferevent_socket, evbuffer_add_buffer(output, input)
//  raw: event_new(EV_READ|EV_PERSIST) + recv/send (readiness loop only)
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
static struct event_base *base;
static int raw;
static char rb[65536];
static void rd(struct bufferevent *b, void *x) {
    evbuffer_add_buffer(bufferevent_get_output(b), bufferevent_get_input(b));
}
static void evc(struct bufferevent *b, short w, void *x) {
    if (w & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) bufferevent_free(b);
}
typedef struct {
    int fd;
    struct event *er, *ew;
    char *buf;
    size_t len, off;
} conn;
static void cl(conn *c) {
    event_free(c->er);
    if (c->ew) event_free(c->ew);
    close(c->fd);
    free(c->buf);
    free(c);
}
static void ow(evutil_socket_t fd, short w, void *x) {
    conn *c = x;
    while (c->len) {
        ssize_t k = send(fd, c->buf + c->off, c->len, MSG_NOSIGNAL);
        if (k < 0) {
            if (errno == EAGAIN) return;
            cl(c);
            return;
        }
        c->off += k;
        c->len -= k;
    }
    free(c->buf);
    c->buf = NULL;
    event_del(c->ew);
    event_add(c->er, NULL);
}
static void onr(evutil_socket_t fd, short w, void *x) {
    conn *c = x;
    ssize_t r = recv(fd, rb, sizeof rb, 0);
    if (r <= 0) {
        if (r < 0 && errno == EAGAIN) return;
        cl(c);
        return;
    }
    ssize_t k = send(fd, rb, r, MSG_NOSIGNAL);
    if (k < 0) {
        if (errno != EAGAIN) {
            cl(c);
            return;
        }
        k = 0;
    }
    if (k < r) {
        c->len = r - k;
        c->off = 0;
        c->buf = malloc(c->len);
        memcpy(c->buf, rb + k, c->len);
        if (!c->ew) c->ew = event_new(base, fd, EV_WRITE | EV_PERSIST, ow, c);
        event_del(c->er);
        event_add(c->ew, NULL);
    }
}
static void acc(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *a, int n, void *x) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (raw) {
        conn *c = calloc(1, sizeof *c);
        c->fd = fd;
        c->er = event_new(base, fd, EV_READ | EV_PERSIST, onr, c);
        event_add(c->er, NULL);
        return;
    }
    struct bufferevent *b = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(b, rd, NULL, evc, NULL);
    bufferevent_enable(b, EV_READ | EV_WRITE);
}
int main(int argc, char **argv) {
    raw = !strcmp(argv[2], "raw");
    signal(SIGPIPE, SIG_IGN);
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    struct event_config *cfg = event_config_new();
    event_config_set_flag(cfg, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST | EVENT_BASE_FLAG_NOLOCK);
    base = event_base_new_with_config(cfg);
    struct sockaddr_in s = {
        .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (!evconnlistener_new_bind(base, acc, NULL, LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_FREE, 4096, (void *)&s,
                                 sizeof s)) {
        perror("bind");
        return 1;
    }
    return event_base_dispatch(base);
}
