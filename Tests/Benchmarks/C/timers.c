// SPDX-License-Identifier: MIT
// Timers of libuv and libevent, as they come.
//   timers uv|lev|levp cancel|fire N [cycles]      levp: libevent with EVENT_BASE_FLAG_PRECISE_TIMER
#include "bench.h"
#include <event2/event.h>
#include <event2/event_struct.h>
#include <uv.h>

typedef struct {
    uv_timer_t timer;
    long index;
} uv_one;
typedef struct {
    struct event event;
    long index;
} lev_one;

static const char *who;
static long count, left, late_count;
static int64_t *late;
static uint64_t *due;
static void **all;
static uv_loop_t *loop;
static struct event_base *base;

static void note(long index) { late[late_count++] = (int64_t)now() - (int64_t)due[index]; }

static void uv_fired(uv_timer_t *timer) {
    note(((uv_one *)timer)->index);
    left--;
    uv_close((uv_handle_t *)timer, (uv_close_cb)free);
}

static void lev_fired(evutil_socket_t descriptor, short what, void *argument) {
    lev_one *one = argument;
    note(one->index);
    free(one);
    if (--left == 0) event_base_loopbreak(base);
}

static void set(long i, uint64_t us) {
    if (loop) {
        uv_one *one = malloc(sizeof *one);
        one->index = i;
        all[i] = one;
        uv_timer_init(loop, &one->timer);
        uv_timer_start(&one->timer, uv_fired, us / 1000, 0);
    } else {
        lev_one *one = malloc(sizeof *one);
        one->index = i;
        all[i] = one;
        evtimer_assign(&one->event, base, lev_fired, one);
        struct timeval after = {us / 1000000, us % 1000000};
        evtimer_add(&one->event, &after);
    }
}

static void report(const char *what, const char *state, uint64_t from, uint64_t cpu_from, size_t held) {
    uint64_t ns = now() - from, cpu_ns = cpu() - cpu_from;
    char row[80], more[80];
    snprintf(row, sizeof row, "%s %ld %s", what, count, state);
    snprintf(more, sizeof more, "\"bytes\": %.1f, ", ((double)live() - held) / count);
    line(row, who, count, (double)ns / count, (double)cpu_ns / count, more);
}

static void cycle(const char *state) {
    random_state = 0x9E3779B97F4A7C15ull;
    size_t held = live();
    if (loop) uv_update_time(loop);
    uint64_t c = cpu(), t = now();
    for (long i = 0; i < count; i++) set(i, 1000000 + next_random() % 99000000);
    report("insert", state, t, c, held);
    c = cpu(), t = now();
    for (long i = 0; i < count; i++) {
        if (loop)
            uv_timer_stop(&((uv_one *)all[i])->timer);
        else
            evtimer_del(&((lev_one *)all[i])->event);
    }
    report("cancel", state, t, c, held);
    c = cpu(), t = now();
    for (long i = 0; i < count; i++) {
        if (loop)
            uv_close((uv_handle_t *)all[i], (uv_close_cb)free);
        else
            free(all[i]);
    }
    if (loop) uv_run(loop, UV_RUN_NOWAIT);
    report("release", state, t, c, held);
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(int64_t *)a, y = *(int64_t *)b;
    return x < y ? -1 : x > y;
}

static void fire(void) {
    uint64_t c = cpu(), t = now();
    for (long i = 0; i < count; i++) {
        uint64_t us = next_random() % 1000000;
        due[i] = now() + us * 1000;
        set(i, us);
    }
    if (loop)
        uv_run(loop, UV_RUN_DEFAULT);
    else
        event_base_dispatch(base);
    uint64_t ns = now() - t, cpu_ns = cpu() - c;
    if (left) exit(1);
    qsort(late, count, sizeof *late, by_value);
    char row[80], more[200];
    snprintf(row, sizeof row, "fire %ld", count);
    snprintf(more, sizeof more,
             "\"late_min_us\": %.1f, \"late_p50_us\": %.1f, \"late_p99_us\": %.1f, \"late_max_us\": %.1f, ",
             late[0] / 1e3, late[count / 2] / 1e3, late[count * 99 / 100] / 1e3, late[count - 1] / 1e3);
    line(row, who, count, (double)ns / count, (double)cpu_ns / count, more);
}

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    int is_uv = !strcmp(argv[1], "uv"), is_precise = !strcmp(argv[1], "levp");
    who = is_uv ? "c-libuv" : is_precise ? "c-libevent-precise" : "c-libevent";
    count = left = atol(argv[3]);
    late = calloc(count, sizeof *late), due = calloc(count, sizeof *due), all = calloc(count, sizeof *all);
    // Touch the pages before the measurement starts.
    memset(late, 1, count * sizeof *late), memset(due, 1, count * sizeof *due), memset(all, 1, count * sizeof *all);
    if (is_uv) {
        loop = uv_default_loop();
    } else {
        struct event_config *config = event_config_new();
        if (is_precise) event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
        base = event_base_new_with_config(config);
    }
    if (!strcmp(argv[2], "fire"))
        fire();
    else
        for (long i = 0, cycles = argc > 4 ? atol(argv[4]) : 3; i < cycles; i++) cycle(i ? "warm" : "cold");
}
