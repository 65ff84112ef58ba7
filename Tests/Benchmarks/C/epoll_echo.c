// SPDX-License-Identifier: MIT
// A raw epoll echo on a single thread, the best case. argv: port [lt|et]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
typedef struct {
    int fd;
    uint32_t armed;
    size_t len, off;
    char *buf;
} conn;
static char rb[65536];
static int ep, et, spin; // spin: busy-polls with epoll_wait and never blocks, to show the cost of wake-ups
static void cl(conn *c) {
    close(c->fd);
    free(c->buf);
    free(c);
}
static void arm(conn *c, uint32_t ev) {
    if (c->armed == ev) return;
    c->armed = ev;
    struct epoll_event e = {.events = ev | (et ? EPOLLET : 0), .data.ptr = c};
    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}
static int drain(conn *c) { // pending output; 0 done, 1 still pending, -1 dead
    while (c->len) {
        ssize_t w = send(c->fd, c->buf + c->off, c->len, MSG_NOSIGNAL);
        if (w < 0) {
            if (errno == EAGAIN) return 1;
            return -1;
        }
        c->off += w;
        c->len -= w;
    }
    free(c->buf);
    c->buf = NULL;
    c->off = 0;
    arm(c, EPOLLIN);
    return 0;
}
int main(int argc, char **argv) {
    int port = atoi(argv[1]);
    et = argc > 2 && !strcmp(argv[2], "et");
    spin = argc > 2 && !strcmp(argv[2], "spin");
    signal(SIGPIPE, SIG_IGN);
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(ls, (void *)&a, sizeof a) || listen(ls, 4096)) {
        perror("bind");
        return 1;
    }
    ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL}, evs[1024];
    epoll_ctl(ep, EPOLL_CTL_ADD, ls, &e);
    for (;;) {
        int n = epoll_wait(ep, evs, 1024, spin ? 0 : -1);
        for (int i = 0; i < n; i++) {
            conn *c = evs[i].data.ptr;
            if (!c) {
                for (int k = 0; k < 64; k++) {
                    int fd = accept4(ls, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                    if (fd < 0) break;
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    c = calloc(1, sizeof *c);
                    c->fd = fd;
                    c->armed = EPOLLIN;
                    struct epoll_event x = {.events = EPOLLIN | (et ? EPOLLET : 0), .data.ptr = c};
                    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &x);
                }
                continue;
            }
            if (evs[i].events & EPOLLOUT) {
                int r = drain(c);
                if (r < 0) {
                    cl(c);
                    continue;
                }
                if (r) continue;
            }
            for (;;) {
                ssize_t r = recv(c->fd, rb, sizeof rb, 0);
                if (r <= 0) {
                    if (r < 0 && (errno == EAGAIN || errno == EINTR)) break;
                    cl(c);
                    break;
                }
                ssize_t w = send(c->fd, rb, r, MSG_NOSIGNAL);
                if (w < 0) {
                    if (errno != EAGAIN) {
                        cl(c);
                        break;
                    }
                    w = 0;
                }
                if (w < r) {
                    c->len = r - w;
                    c->buf = malloc(c->len);
                    memcpy(c->buf, rb + w, c->len);
                    c->off = 0;
                    arm(c, EPOLLOUT);
                    break;
                }
                if (!et || r < (ssize_t)sizeof rb) break; // a short read means drained; new data gives a new edge
            }
        }
    }
}
