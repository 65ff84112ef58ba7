// SPDX-License-Identifier: MIT
// An echo server with epoll and OpenSSL's socket BIO, on one thread. argv: port chain.pem key.pem
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    SSL *ssl;
    int fd;
    uint32_t armed;
    size_t len, off; // output that waits for the socket
    char *buf;
} conn;

static char rb[65536];
static int ep;

static void cl(conn *c) {
    SSL_free(c->ssl);
    close(c->fd);
    free(c->buf);
    free(c);
    ERR_clear_error();
}

static void arm(conn *c, uint32_t events) {
    if (c->armed == events) return;
    c->armed = events;
    struct epoll_event e = {.events = events, .data.ptr = c};
    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}

// 0 done, 1 waiting for the socket, -1 dead
static int drain(conn *c) {
    while (c->len) {
        size_t w = 0;
        int r = SSL_write_ex(c->ssl, c->buf + c->off, c->len, &w);
        if (r != 1) return SSL_get_error(c->ssl, r) == SSL_ERROR_WANT_WRITE ? 1 : -1;
        c->off += w;
        c->len -= w;
    }
    free(c->buf);
    c->buf = NULL;
    c->off = 0;
    arm(c, EPOLLIN);
    return 0;
}

static void serve(conn *c) {
    for (;;) {
        size_t r = 0, done = 0;
        int result = SSL_read_ex(c->ssl, rb, sizeof rb, &r);
        if (result != 1) {
            int why = SSL_get_error(c->ssl, result);
            if (why == SSL_ERROR_WANT_READ) return arm(c, EPOLLIN);
            if (why == SSL_ERROR_WANT_WRITE) return arm(c, EPOLLOUT);
            if (why == SSL_ERROR_ZERO_RETURN) SSL_shutdown(c->ssl);
            return cl(c);
        }
        while (done < r) {
            size_t w = 0;
            result = SSL_write_ex(c->ssl, rb + done, r - done, &w);
            if (result != 1) {
                if (SSL_get_error(c->ssl, result) != SSL_ERROR_WANT_WRITE) return cl(c);
                c->len = r - done;
                c->off = 0;
                c->buf = malloc(c->len);
                memcpy(c->buf, rb + done, c->len);
                return arm(c, EPOLLOUT);
            }
            done += w;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    signal(SIGPIPE, SIG_IGN);
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); // tickets only
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    if (SSL_CTX_use_certificate_chain_file(context, argv[2]) != 1 || SSL_CTX_use_PrivateKey_file(context, argv[3], SSL_FILETYPE_PEM) != 1) {
        ERR_print_errors_fp(stderr);
        return 1;
    }
    int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    if (bind(ls, (void *)&a, sizeof a) || listen(ls, 4096) || getsockname(ls, (void *)&a, &size)) {
        perror("bind");
        return 1;
    }
    printf("listening on :%d,\n", ntohs(a.sin_port));
    fflush(stdout);
    ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL}, evs[1024];
    epoll_ctl(ep, EPOLL_CTL_ADD, ls, &e);
    for (;;) {
        int n = epoll_wait(ep, evs, 1024, -1);
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
                    c->ssl = SSL_new(context);
                    SSL_set_fd(c->ssl, fd);
                    SSL_set_accept_state(c->ssl);
                    struct epoll_event x = {.events = EPOLLIN, .data.ptr = c};
                    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &x);
                }
                continue;
            }
            if (c->len) {
                int r = drain(c);
                if (r < 0) cl(c);
                if (r) continue;
            }
            serve(c);
        }
    }
}
