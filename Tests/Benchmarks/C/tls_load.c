// SPDX-License-Identifier: MIT
// Load on an echo server with TLS, from one thread with epoll and OpenSSL's socket BIO. The options and the output are those of
// Tests/Smoke/load.c:
//
// -M mode  echo : -c connections, each with -P messages of -m bytes in flight, for -d seconds after a warm-up of -w seconds
//          churn: -c at a time, each: connect, handshake, one message and its echo, close; -n in total
//          idle : -c connections; the server's memory with all of them open, and after one message on each
// -S pid   the server, whose processor time and memory are read at both ends of the measurement
// -T       echo: prints "ready", and for each line of its standard input measures for that many seconds
// -H       echo: prints "begin" when the measurement begins, and keeps its connections until the end of its standard input
// -R       churn: each connection resumes the session of an earlier one; fails if the server refuses
// -2       TLS 1.2 instead of 1.3
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int fd, is_shaken;
    uint32_t armed;
    SSL *ssl;
    uint64_t received;   // of the message that is arriving
    uint64_t to_send;    // bytes that are due
    uint64_t offset;     // in the message, of the next byte to send
} conn;

static int M = 64, P = 1, C = 1, port, hold, turns, resumes, old;
static double D = 2, W = 0.5;
static long N = 1000;
static pid_t server;
static const char *mode = "echo";
static char *message, *buffer;
static int ep;
static conn *all;
static SSL_CTX *context;
static struct epoll_event events[1024];
// The sessions that connections resume in turn, each several times.
static SSL_SESSION *sessions[16];
static unsigned session_count, next_session;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "tls_load: %s: %s\n", what, strerror(errno));
    ERR_print_errors_fp(stderr);
    exit(1);
}

static double cpu(void) {
    clockid_t clock;
    struct timespec t;
    if (!server || clock_getcpuclockid(server, &clock) || clock_gettime(clock, &t)) return 0;
    return t.tv_sec + t.tv_nsec / 1e9;
}

static long resident(void) {
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", server);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kb);
    if (file) fclose(file);
    return kb;
}

static int keep(SSL *ssl, SSL_SESSION *session) {
    (void)ssl;
    if (session_count == 16) return 0;
    sessions[session_count++] = SSL_SESSION_dup(session);
    return 0;
}

static void arm(conn *c, uint32_t wanted) {
    if (c->armed == wanted) return;
    struct epoll_event e = {.events = wanted, .data.ptr = c};
    if (epoll_ctl(ep, c->armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->fd, &e)) die("epoll_ctl");
    c->armed = wanted;
}

static void open_connection(conn *c) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    memset(c, 0, sizeof *c);
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    // The kernel accepts for the server, so this does not wait for it.
    if (connect(c->fd, (void *)&to, sizeof to)) die("connect");
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->ssl = SSL_new(context);
    SSL_set_fd(c->ssl, c->fd);
    SSL_set_connect_state(c->ssl);
    SSL_set_tlsext_host_name(c->ssl, "localhost");
    if (resumes && session_count) {
        // A copy, because OpenSSL invalidates a session when its connection gets a new ticket.
        SSL_SESSION *session = SSL_SESSION_dup(sessions[next_session++ % session_count]);
        SSL_set_session(c->ssl, session);
        SSL_SESSION_free(session);
    }
}

static void close_connection(conn *c) {
    SSL_shutdown(c->ssl);
    SSL_free(c->ssl);
    close(c->fd);
}

// Sends what is due. Arms the descriptor for what is missing.
static void send_due(conn *c) {
    uint32_t wanted = EPOLLIN;
    while (c->to_send) {
        size_t sent = 0, count = M - c->offset < c->to_send ? M - c->offset : c->to_send;
        int result = SSL_write_ex(c->ssl, message + c->offset, count, &sent);
        if (result != 1) {
            int why = SSL_get_error(c->ssl, result);
            if (why == SSL_ERROR_WANT_WRITE) wanted |= EPOLLOUT;
            else if (why != SSL_ERROR_WANT_READ) die("write");
            break;
        }
        if (!c->is_shaken) {
            c->is_shaken = 1;
            if (resumes > 1 && !SSL_session_reused(c->ssl)) die("the server has not resumed a session");
        }
        c->to_send -= sent;
        c->offset = (c->offset + sent) % M;
    }
    arm(c, wanted);
}

// Reads what has arrived. Returns the number of complete messages.
static int receive(conn *c) {
    int complete = 0;
    for (;;) {
        size_t count = 0;
        int result = SSL_read_ex(c->ssl, buffer, 1 << 20, &count);
        if (result != 1) {
            if (SSL_get_error(c->ssl, result) != SSL_ERROR_WANT_READ) die("read");
            // This may have completed the handshake, so that what is due can be sent.
            if (c->to_send && !c->is_shaken && SSL_is_init_finished(c->ssl)) send_due(c);
            return complete;
        }
        // The first byte that differs ends the program.
        for (size_t done = 0; done < count;) {
            size_t part = M - c->received < count - done ? M - c->received : count - done;
            if (memcmp(buffer + done, message + c->received, part)) die("a received byte differs from the one that was sent");
            done += part;
            c->received += part;
            if (c->received == (uint64_t)M) c->received = 0, complete++;
        }
    }
}

static int wait_events(void) {
    int n = epoll_wait(ep, events, 1024, 60000);
    if (n == 0) die("no answer for a minute");
    return n < 0 ? 0 : n;
}

static void start_all(void) {
    for (int i = 0; i < C; i++) {
        conn *c = &all[i];
        open_connection(c);
        c->to_send = M;
        send_due(c);
        for (int left = 1; left;) {
            int n = wait_events();
            for (int k = 0; k < n; k++) {
                conn *ready = events[k].data.ptr;
                if (ready->to_send) send_due(ready);
                if (ready == c) left -= receive(c);
                else receive(ready);
            }
        }
    }
}

static void echo(double warming, double measured) {
    uint64_t begin = now(), start = begin + (uint64_t)(warming * 1e9), end = start + (uint64_t)(measured * 1e9), messages = 0;
    int is_measuring = 0, is_ending = 0;
    long in_flight = (long)C * P;
    double before = 0, spent = 0, seconds = 0;
    for (int i = 0; i < C; i++) all[i].to_send += (uint64_t)M * P, send_due(&all[i]);
    while (in_flight) {
        int n = wait_events();
        uint64_t t = now();
        if (!is_measuring && t >= start) {
            is_measuring = 1;
            if (hold) puts("begin"), fflush(stdout);
            messages = 0;
            before = cpu();
            begin = now();
            end = begin + (uint64_t)(measured * 1e9);
        } else if (is_measuring && !is_ending && t >= end) {
            is_ending = 1;
            spent = cpu() - before;
            seconds = (now() - begin) / 1e9;
            if (!turns) break;
        }
        for (int i = 0; i < n; i++) {
            conn *c = events[i].data.ptr;
            if (events[i].events & EPOLLOUT) send_due(c);
            int complete = receive(c);
            if (is_ending) in_flight -= complete;
            else if (complete) messages += complete, c->to_send += (uint64_t)M * complete, send_due(c);
        }
    }
    printf("mode=echo msgs=%lu rate=%.0f p50us=0 p99us=0 srv_cpu_ns=%.1f\n", messages, messages / seconds, spent * 1e9 / messages);
    fflush(stdout);
    char byte;
    if (hold) while (read(0, &byte, 1) > 0);
}

static void churn(void) {
    long done = 0, started = 0;
    int live = 0;
    if (resumes) { // a first connection, whose sessions the others resume
        resumes = 1;
        start_all();
        for (int i = 0; i < C; i++) close_connection(&all[i]);
        resumes = 2;
    }
    double before = cpu();
    uint64_t begin = now();
    for (int i = 0; i < C && started < N; i++, started++, live++) open_connection(&all[i]), all[i].to_send = M, send_due(&all[i]);
    while (live) {
        int n = wait_events();
        for (int i = 0; i < n; i++) {
            conn *c = events[i].data.ptr;
            if (c->to_send) send_due(c);
            if (!receive(c)) continue;
            close_connection(c);
            live--, done++;
            if (started < N) open_connection(c), c->to_send = M, send_due(c), started++, live++;
        }
    }
    double seconds = (now() - begin) / 1e9;
    usleep(100000); // the server closes its connections, and that time counts too
    printf("mode=churn msgs=%ld rate=%.0f p50us=0 p99us=0 srv_cpu_ns=%.1f\n", done, done / seconds, (cpu() - before) * 1e9 / done);
}

static void idle(void) {
    int count = C;
    C = 20; // the first connections pay for what all share
    start_all();
    conn *first = all;
    all = calloc(count, sizeof *all);
    C = count;
    long before = resident();
    start_all();
    usleep(500000);
    long opened = resident();
    printf("mode=idle bytes_per_conn=%.0f bytes_per_conn_echoed=%.0f connect_cpu_us=0\n", (opened - before) * 1024.0 / C, (opened - before) * 1024.0 / C);
    free(first);
}

int main(int argc, char **argv) {
    int o;
    while ((o = getopt(argc, argv, "M:p:c:m:P:d:w:n:a:S:THR2")) != -1) switch (o) {
        case 'M': mode = optarg; break;
        case 'p': port = atoi(optarg); break;
        case 'c': C = atoi(optarg); break;
        case 'm': M = atoi(optarg); break;
        case 'P': P = atoi(optarg); break;
        case 'd': D = atof(optarg); break;
        case 'w': W = atof(optarg); break;
        case 'n': N = atol(optarg); break;
        case 'a': break;
        case 'S': server = atoi(optarg); break;
        case 'T': turns = 1; break;
        case 'H': hold = 1; break;
        case 'R': resumes = 1; break;
        case '2': old = 1; break;
        default: return 2;
        }
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_max_proto_version(context, old ? TLS1_2_VERSION : TLS1_3_VERSION);
    // The same cipher and curve for every server. The curve of the certificate is the second one.
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_cipher_list(context, "ECDHE-ECDSA-AES128-GCM-SHA256");
    SSL_CTX_set1_groups_list(context, "X25519:P-256");
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, keep);
    message = malloc(M);
    for (int i = 0; i < M; i++) message[i] = (char)(i * 31 + 7);
    buffer = malloc(1 << 20);
    ep = epoll_create1(0);
    all = calloc(C > 20 ? C : 20, sizeof *all);
    if (!strcmp(mode, "churn")) return churn(), 0;
    if (!strcmp(mode, "idle")) return idle(), 0;
    if (strcmp(mode, "echo")) return 2;
    start_all();
    if (!turns) return echo(W, D), 0;
    puts("ready");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin)) echo(W, atof(line));
    return 0;
}
