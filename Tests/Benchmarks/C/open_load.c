// SPDX-License-Identifier: MIT
// Sends HTTP requests at fixed instants, whether or not earlier ones have been answered (an open loop), on kept-alive
// connections. The latency of a request is counted from the instant at which it was due, so a slow server cannot hide
// behind a load that waits for it. A request without a complete answer within the limit is a time-out; its connection is
// closed. Prints one JSON line for each second in which requests were due, and one for all of them.
//
// open_load PORT PATH REQUESTS_PER_SECOND SECONDS LIMIT_MS
#include "bench.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { MOST = 8192 };
enum state { CLOSED, CONNECTING, IDLE, WAITING };

struct peer {
    int descriptor;
    enum state state;
    uint64_t due;
    size_t length;
    struct peer *earlier, *later;  // Peers with a request, by the instant at which it was due.
    char bytes[2048];
};

struct second {
    long due, ok, busy, late, failed;
    uint32_t *latencies;  // Microseconds.
};

static struct peer peers[MOST];
static struct peer *idle[MOST], *closed[MOST];
static int idle_count, closed_count, epoll;
static struct peer first_waiting = {.earlier = &first_waiting, .later = &first_waiting};
static struct second *seconds;
static uint64_t begin, limit;
static char request[512];
static size_t request_length;
static struct sockaddr_in address;

static void die(const char *what) {
    fprintf(stderr, "open_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct second *second_of(uint64_t due) { return &seconds[(due - begin) / 1000000000]; }

static void leave(struct peer *peer) {
    peer->earlier->later = peer->later;
    peer->later->earlier = peer->earlier;
}

static void close_peer(struct peer *peer) {
    close(peer->descriptor);
    peer->state = CLOSED;
    closed[closed_count++] = peer;
}

static void send_request(struct peer *peer) {
    peer->length = 0;
    peer->state = WAITING;
    if (send(peer->descriptor, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length) {
        second_of(peer->due)->failed++;
        leave(peer);
        close_peer(peer);
    }
}

static void watch(struct peer *peer, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = peer};
    if (epoll_ctl(epoll, operation, peer->descriptor, &event) != 0) die("epoll_ctl");
}

static void begin_request(uint64_t due) {
    second_of(due)->due++;
    struct peer *peer = idle_count > 0 ? idle[--idle_count] : closed_count > 0 ? closed[--closed_count] : NULL;
    if (peer == NULL) {
        second_of(due)->failed++;
        return;
    }
    peer->due = due;
    peer->earlier = first_waiting.earlier;
    peer->later = &first_waiting;
    peer->earlier->later = peer;
    first_waiting.earlier = peer;
    if (peer->state == IDLE) {
        send_request(peer);
        return;
    }
    peer->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int one = 1;
    if (peer->descriptor < 0) die("socket");
    setsockopt(peer->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(peer->descriptor, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) die("connect");
    peer->state = CONNECTING;
    watch(peer, EPOLL_CTL_ADD, EPOLLOUT);
}

// Whether the answer is complete. Its head has a Content-Length.
static int is_complete(struct peer *peer) {
    peer->bytes[peer->length] = 0;
    char *end = strstr(peer->bytes, "\r\n\r\n"), *field = strcasestr(peer->bytes, "\r\ncontent-length:");
    if (end == NULL) return 0;
    size_t body = field != NULL && field < end ? strtoul(field + 17, NULL, 10) : 0;
    return peer->length >= (size_t)(end + 4 - peer->bytes) + body;
}

static void answered(struct peer *peer, uint64_t time) {
    struct second *second = second_of(peer->due);
    int status = atoi(peer->bytes + 9);
    if (status == 200) {
        second->latencies[second->ok++] = (time - peer->due) / 1000;
    } else if (status == 503) {
        second->busy++;
    } else {
        second->failed++;
    }
    leave(peer);
    if (strcasestr(peer->bytes, "connection: close") != NULL) {
        close_peer(peer);
        return;
    }
    peer->state = IDLE;
    idle[idle_count++] = peer;
}

static void ready(struct peer *peer, uint32_t events) {
    if (peer->state == CONNECTING) {
        int error = 0;
        socklen_t length = sizeof error;
        getsockopt(peer->descriptor, SOL_SOCKET, SO_ERROR, &error, &length);
        if (error != 0) {
            second_of(peer->due)->failed++;
            leave(peer);
            close_peer(peer);
            return;
        }
        watch(peer, EPOLL_CTL_MOD, EPOLLIN);
        send_request(peer);
        return;
    }
    ssize_t count = recv(peer->descriptor, peer->bytes + peer->length, sizeof peer->bytes - 1 - peer->length, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        if (peer->state == WAITING) {
            second_of(peer->due)->failed++;
            leave(peer);
        } else {
            for (int i = 0; i < idle_count; i++) {
                if (idle[i] == peer) idle[i--] = idle[--idle_count];
            }
        }
        close_peer(peer);
        return;
    }
    peer->length += count;
    if (peer->state == WAITING && is_complete(peer)) answered(peer, now());
}

static int compare(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static void print(const char *second, struct second *sums) {
    qsort(sums->latencies, sums->ok, sizeof(uint32_t), compare);
    double p50 = sums->ok ? sums->latencies[sums->ok / 2] / 1000.0 : 0;
    double p99 = sums->ok ? sums->latencies[sums->ok * 99 / 100] / 1000.0 : 0;
    printf("{\"second\": %s, \"due\": %ld, \"ok\": %ld, \"busy\": %ld, \"late\": %ld, \"failed\": %ld, \"p50_ms\": %.3f, "
           "\"p99_ms\": %.3f}\n", second, sums->due, sums->ok, sums->busy, sums->late, sums->failed, p50, p99);
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: open_load PORT PATH REQUESTS_PER_SECOND SECONDS LIMIT_MS\n");
        return 64;
    }
    struct rlimit files = {MOST + 100, MOST + 100};
    setrlimit(RLIMIT_NOFILE, &files);
    int port = atoi(arguments[1]), duration = atoi(arguments[4]);
    double rate = atof(arguments[3]);
    limit = strtoull(arguments[5], NULL, 10) * 1000000;
    request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", arguments[2]);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    seconds = calloc(duration + 1, sizeof *seconds);
    struct second all = {.latencies = calloc(duration * (rate + 1) + 1, sizeof(uint32_t))};
    for (int i = 0; i <= duration; i++) seconds[i].latencies = calloc(rate + 2, sizeof(uint32_t));
    for (int i = MOST - 1; i >= 0; i--) closed[closed_count++] = &peers[i];
    epoll = epoll_create1(0);
    if (epoll < 0) die("epoll_create1");
    begin = now();
    long total = (long)(rate * duration), sent = 0;
    struct epoll_event events[256];
    while (sent < total || first_waiting.later != &first_waiting) {
        uint64_t time = now();
        while (sent < total && begin + (uint64_t)(sent * (1e9 / rate)) <= time) {
            begin_request(begin + (uint64_t)(sent * (1e9 / rate)));
            sent++;
        }
        while (first_waiting.later != &first_waiting && first_waiting.later->due + limit <= time) {
            struct peer *peer = first_waiting.later;
            second_of(peer->due)->late++;
            leave(peer);
            close_peer(peer);
        }
        int ready_count = epoll_wait(epoll, events, 256, 1);
        for (int i = 0; i < ready_count; i++) {
            struct peer *peer = events[i].data.ptr;
            if (peer->state != CLOSED) ready(peer, events[i].events);
        }
    }
    for (int i = 0; i < duration; i++) {
        struct second *second = &seconds[i];
        memcpy(all.latencies + all.ok, second->latencies, second->ok * sizeof(uint32_t));
        all.due += second->due;
        all.ok += second->ok;
        all.busy += second->busy;
        all.late += second->late;
        all.failed += second->failed;
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        print(number, second);
    }
    print("\"all\"", &all);
    return 0;
}
