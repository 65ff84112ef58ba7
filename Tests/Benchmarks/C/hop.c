// SPDX-License-Identifier: MIT
// Submits work from another thread to a loop with its own thread, as malloc'd nodes in a list under a mutex, and measures
// round trips between two such loops.
//   hop uv|lev|efd|spin flood|pingpong N
//     uv, lev  uv_async_send, event_active: once for each time that the list was empty
//     efd      an eventfd, written once for each time that the list was empty, and epoll_wait: the best case of a loop that polls
//     spin     the loop checks the list without blocking: the best case of two CPUs, at the cost of one
#include "bench.h"
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/thread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <uv.h>

enum kind { UV, LEV, EFD, SPIN };
typedef struct node {
    struct node *next;
    void (*work)(struct node *);
    void *argument;
} node;
typedef struct {
    pthread_mutex_t mutex;
    node *head, **tail;
    uv_loop_t uv;
    uv_async_t async;
    struct event_base *base;
    struct event event;
    int epoll, wake;
    volatile int stopped;
    pthread_t thread;
} loop;

static enum kind kind;
static long count, counted;
static uint64_t ended;
// The main thread blocks here. Polling now and then would keep a CPU awake for the loops.
static sem_t done;
static loop near, far;

static void drain(loop *l) {
    pthread_mutex_lock(&l->mutex);
    node *n = l->head;
    l->head = NULL;
    l->tail = &l->head;
    pthread_mutex_unlock(&l->mutex);
    while (n) {
        node *next = n->next;
        n->work(n);
        n = next;
    }
}

static void post(loop *l, void (*work)(node *), void *argument) {
    node *n = malloc(sizeof *n);
    *n = (node){NULL, work, argument};
    pthread_mutex_lock(&l->mutex);
    int was_empty = !l->head;
    *l->tail = n;
    l->tail = &n->next;
    pthread_mutex_unlock(&l->mutex);
    if (!was_empty) return;
    uint64_t one = 1;
    if (kind == UV)
        uv_async_send(&l->async);
    else if (kind == LEV)
        event_active(&l->event, EV_READ, 0);
    else if (kind == EFD && write(l->wake, &one, sizeof one) != sizeof one)
        abort();
}

static void uv_woken(uv_async_t *async) {
    loop *l = async->data;
    drain(l);
    if (l->stopped) uv_close((uv_handle_t *)async, NULL);
}

static void lev_woken(evutil_socket_t descriptor, short what, void *argument) {
    loop *l = argument;
    drain(l);
    if (l->stopped) event_base_loopbreak(l->base);
}

static void *run(void *argument) {
    loop *l = argument;
    switch (kind) {
    case UV: uv_run(&l->uv, UV_RUN_DEFAULT); break;
    case LEV: event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY); break;
    case EFD:
        while (!l->stopped) {
            struct epoll_event event;
            uint64_t value;
            epoll_wait(l->epoll, &event, 1, -1);
            if (read(l->wake, &value, sizeof value) == sizeof value) drain(l);
        }
        break;
    case SPIN:
        while (!l->stopped) {
            if (__atomic_load_n(&l->head, __ATOMIC_ACQUIRE))
                drain(l);
            else
                __builtin_ia32_pause();
        }
    }
    return NULL;
}

static void begin(loop *l) {
    pthread_mutex_init(&l->mutex, NULL);
    l->tail = &l->head;
    if (kind == UV) {
        uv_loop_init(&l->uv);
        uv_async_init(&l->uv, &l->async, uv_woken);
        l->async.data = l;
    } else if (kind == LEV) {
        l->base = event_base_new();
        event_assign(&l->event, l->base, -1, EV_PERSIST, lev_woken, l);
        event_add(&l->event, NULL);
    } else if (kind == EFD) {
        l->epoll = epoll_create1(0);
        l->wake = eventfd(0, EFD_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN};
        epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->wake, &event);
    }
    pthread_create(&l->thread, NULL, run, l);
}

static void stop(node *n) {
    ((loop *)n->argument)->stopped = 1;
    free(n);
}

static void end(loop *l) {
    post(l, stop, l);
    pthread_join(l->thread, NULL);
}

static int is_last(void) {
    if (++counted < count) return 0;
    ended = now();
    sem_post(&done);
    return 1;
}

static void one(node *n) {
    free(n);
    is_last();
}

static void back(node *n);
static void there(node *n) {
    free(n);
    post(&far, back, NULL);
}
static void back(node *n) {
    free(n);
    if (!is_last()) post(&near, there, NULL);
}

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    const char *names[] = {"uv", "lev", "efd", "spin"}, *whos[] = {"c-libuv", "c-libevent", "c-eventfd", "c-spin"};
    while (kind < SPIN && strcmp(argv[1], names[kind])) kind++;
    int is_flood = !strcmp(argv[2], "flood");
    count = atol(argv[3]);
    evthread_use_pthreads();
    sem_init(&done, 0, 0);
    begin(&near);
    if (!is_flood) begin(&far);
    usleep(50000);
    uint64_t c = cpu(), t = now();
    if (is_flood)
        for (long i = 0; i < count; i++) post(&near, one, NULL);
    else
        post(&near, there, NULL);
    while (sem_wait(&done)) {}
    line(is_flood ? "execute" : "round trip", whos[kind], count, (double)(ended - t) / count,
         (double)(cpu() - c) / count, "");
    end(&near);
    if (!is_flood) end(&far);
}
