// SPDX-License-Identifier: MIT
// libuv echo, single thread. argv: port write|try|poll
//  write: uv_tcp + malloc'd buffer and uv_write_t per read (the documented example)
//  try  : uv_tcp + one shared read buffer + uv_try_write (best case for uv_tcp)
//  poll : uv_poll on the raw fd + recv/send (for a framework that uses libuv as a readiness loop only)
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>
typedef struct {
    uv_write_t req;
    uv_buf_t buf;
} wreq;
static uv_loop_t *loop;
static int mode;
static char shared[65536];
static void on_close(uv_handle_t *h) { free(h); }
static void alloc_cb(uv_handle_t *h, size_t s, uv_buf_t *b) {
    if (mode) {
        b->base = shared;
        b->len = sizeof shared;
    } else {
        b->base = malloc(s);
        b->len = s;
    }
}
static void on_write(uv_write_t *r, int st) {
    wreq *w = (wreq *)r;
    free(w->buf.base);
    free(w);
}
static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b) {
    if (n > 0) {
        if (mode == 0) {
            wreq *w = malloc(sizeof *w);
            w->buf = uv_buf_init(b->base, n);
            uv_write(&w->req, s, &w->buf, 1, on_write);
            return;
        }
        uv_buf_t o = uv_buf_init(b->base, n);
        int r = uv_try_write(s, &o, 1);
        if (r < 0) r = 0;
        if (r < n) {
            wreq *w = malloc(sizeof *w);
            w->buf = uv_buf_init(malloc(n - r), n - r);
            memcpy(w->buf.base, b->base + r, n - r);
            uv_write(&w->req, s, &w->buf, 1, on_write);
        }
        return;
    }
    if (n < 0) uv_close((uv_handle_t *)s, on_close);
    if (!mode && b->base) free(b->base);
}
static void on_conn(uv_stream_t *srv, int st) {
    if (st < 0) return;
    uv_tcp_t *c = malloc(sizeof *c);
    uv_tcp_init(loop, c);
    if (uv_accept(srv, (uv_stream_t *)c) == 0) {
        uv_tcp_nodelay(c, 1);
        uv_read_start((uv_stream_t *)c, alloc_cb, on_read);
    } else
        uv_close((uv_handle_t *)c, on_close);
}
// ---- uv_poll variant
typedef struct {
    uv_poll_t p;
    int fd;
    char *buf;
    size_t len, off;
    int ev;
} pc;
static void pclosed(uv_handle_t *h) {
    pc *c = (pc *)h;
    close(c->fd);
    free(c->buf);
    free(c);
}
static void on_poll(uv_poll_t *p, int st, int ev) {
    pc *c = (pc *)p;
    if (st < 0) {
        uv_close((uv_handle_t *)p, pclosed);
        return;
    }
    if (ev & UV_WRITABLE) {
        while (c->len) {
            ssize_t w = send(c->fd, c->buf + c->off, c->len, MSG_NOSIGNAL);
            if (w < 0) {
                if (errno == EAGAIN) return;
                uv_close((uv_handle_t *)p, pclosed);
                return;
            }
            c->off += w;
            c->len -= w;
        }
        free(c->buf);
        c->buf = NULL;
        c->off = 0;
        uv_poll_start(p, UV_READABLE, on_poll);
        return;
    }
    ssize_t r = recv(c->fd, shared, sizeof shared, 0);
    if (r <= 0) {
        if (r < 0 && errno == EAGAIN) return;
        uv_close((uv_handle_t *)p, pclosed);
        return;
    }
    ssize_t w = send(c->fd, shared, r, MSG_NOSIGNAL);
    if (w < 0) w = 0;
    if (w < r) {
        c->len = r - w;
        c->buf = malloc(c->len);
        memcpy(c->buf, shared + w, c->len);
        c->off = 0;
        uv_poll_start(p, UV_WRITABLE, on_poll);
    }
}
static void on_pollaccept(uv_poll_t *p, int st, int ev) {
    for (int k = 0; k < 64; k++) {
        int fd = accept4(((pc *)p)->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
        if (fd < 0) return;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pc *c = calloc(1, sizeof *c);
        c->fd = fd;
        uv_poll_init(loop, &c->p, fd);
        uv_poll_start(&c->p, UV_READABLE, on_poll);
    }
}
int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    mode = !strcmp(argv[2], "write") ? 0 : !strcmp(argv[2], "try") ? 1 : 2;
    loop = uv_default_loop();
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    struct sockaddr_in a;
    uv_ip4_addr("127.0.0.1", atoi(argv[1]), &a);
    if (mode == 2) {
        pc *c = calloc(1, sizeof *c);
        int one = 1;
        c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        setsockopt(c->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(c->fd, (void *)&a, sizeof a) || listen(c->fd, 4096)) {
            perror("bind");
            return 1;
        }
        uv_poll_init(loop, &c->p, c->fd);
        uv_poll_start(&c->p, UV_READABLE, on_pollaccept);
    } else {
        static uv_tcp_t s;
        uv_tcp_init(loop, &s);
        if (uv_tcp_bind(&s, (void *)&a, 0) || uv_listen((uv_stream_t *)&s, 4096, on_conn)) {
            fprintf(stderr, "listen\n");
            return 1;
        }
    }
    return uv_run(loop, UV_RUN_DEFAULT);
}
