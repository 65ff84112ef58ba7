// SPDX-License-Identifier: MIT
#pragma once
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <uv.h>

// A loop and the buffer for the events of its handles. The first field has the address of the struct, so a pointer to the
// loop is a pointer to the struct.
typedef struct {
    uv_loop_t native;
    void *_Nonnull buffer;
    // The number of the current wait. It wraps.
    uint32_t wait;
    // The handles that libuv has stopped, and that must be started again.
    struct reactive_uv_registration *_Nullable stopped;
} reactive_uv_loop;

// A poll handle, its interest, and the number of the last wait that has reported it. The handle's `data` is the token. The
// handle has the address of the struct.
typedef struct reactive_uv_registration {
    uv_poll_t handle;
    uint8_t interest;
    // Whether the handle is in the loop's list of stopped handles, and the next one there.
    bool is_stopped;
    struct reactive_uv_registration *_Nullable next_stopped;
    uint32_t reported;
} reactive_uv_registration;

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a token must fit into the data of a handle");

static inline uint64_t reactive_uv_token(const uv_poll_t *_Nonnull handle) { return (uint64_t)(uintptr_t)handle->data; }
static inline void reactive_uv_set_token(uv_poll_t *_Nonnull handle, uint64_t token) { handle->data = (void *)(uintptr_t)token; }

// Passes the requested events of a watcher to the kernel. Tries first to add the descriptor to the set, or to change it there. Returns
// 0 or an errno.
static inline int reactive_uv_control(uv_loop_t *_Nonnull loop, uv__io_t *_Nonnull watcher, bool adds_first) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = watcher->pevents;
    event.data.fd = watcher->fd;
    int epoll = uv_backend_fd(loop);
    if (epoll_ctl(epoll, adds_first ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, watcher->fd, &event) != 0 &&
        (errno != (adds_first ? EEXIST : ENOENT) ||
         epoll_ctl(epoll, adds_first ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watcher->fd, &event) != 0))
        return errno;
    watcher->events = watcher->pevents;
    return 0;
}

// Registers a watcher of the queue of changes with the kernel immediately; libuv would leave that to the next uv_run. Returns 0 or
// an errno. After an errno the watcher is still in the queue.
//
// libuv aborts the process if the kernel refuses the registration in uv_run, for example because another thread has
// closed the descriptor in between. The fields of a watcher are public. This function removes the watcher from the
// queue, whose links are the next watcher and the previous one.
static inline int reactive_uv_commit(uv_loop_t *_Nonnull loop, uv__io_t *_Nonnull watcher) {
    int refusal = reactive_uv_control(loop, watcher, true);
    if (refusal) return refusal;
    char *own = (char *)&watcher->watcher_queue;
    char *links[2];
    memcpy(links, own, sizeof links);
    memcpy(links[0] + sizeof own, &links[1], sizeof own);
    memcpy(links[1], &links[0], sizeof own);
    links[0] = links[1] = own;
    memcpy(own, links, sizeof links);
    return 0;
}

// Registers a handle that has been started. Returns 0 or an errno. After an errno the caller must stop the handle. Call it outside of
// uv_run: inside, libuv 1.45 to 1.48 removes a descriptor from the set later, after this registration.
static inline int reactive_uv_poll_commit(uv_poll_t *_Nonnull handle) {
    uv__io_t *watcher = &handle->io_watcher;
    return watcher->events == watcher->pevents ? 0 : reactive_uv_commit(handle->loop, watcher);
}

// Registers a watcher, and leaves it in libuv's queue. Returns 0 or an errno. libuv registers it again in its next uv_run, in its own
// way. That needs no kernel memory, because the descriptor is in the set.
static inline int reactive_uv_preregister(uv_loop_t *_Nonnull loop, const uv__io_t *_Nonnull watcher) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = watcher->pevents;
    event.data.fd = watcher->fd;
    return epoll_ctl(uv_backend_fd(loop), EPOLL_CTL_ADD, watcher->fd, &event) == 0 || errno == EEXIST ? 0 : errno;
}

// Registers the descriptors in libuv's queue, for a new loop its own. Returns 0 or an errno. After an errno the caller must close
// the loop.
static inline int reactive_uv_loop_preregister(uv_loop_t *_Nonnull loop) {
    char *queue = (char *)&loop->watcher_queue, *next;
    for (memcpy(&next, queue, sizeof next); next != queue; memcpy(&next, next, sizeof next)) {
        int refusal = reactive_uv_preregister(loop, (uv__io_t *)(next - offsetof(uv__io_t, watcher_queue)));
        if (refusal) return refusal;
    }
    return 0;
}

static inline int reactive_uv_poll_preregister(uv_poll_t *_Nonnull handle) {
    return reactive_uv_preregister(handle->loop, &handle->io_watcher);
}

// Changes the events of an active handle. uv_poll_start would remove the descriptor from the set first, and adding it again needs
// kernel memory. Returns 0 or an errno. After an errno the handle is unchanged.
static inline int reactive_uv_poll_change(uv_poll_t *_Nonnull handle, int events) {
    uv__io_t *watcher = &handle->io_watcher;
    unsigned int before = watcher->pevents;
    watcher->pevents = (events & UV_READABLE ? POLLIN : 0) | (events & UV_WRITABLE ? POLLOUT : 0);
    // The set lacks the descriptor if its owner has closed it and the number has been reused.
    int refusal = reactive_uv_control(handle->loop, watcher, false);
    if (refusal) watcher->pevents = before;
    return refusal;
}

// Adds a handle to the list of stopped handles.
static inline void reactive_uv_add_stopped(reactive_uv_loop *_Nonnull loop, reactive_uv_registration *_Nonnull stopped) {
    if (stopped->is_stopped) return;
    stopped->is_stopped = true;
    stopped->next_stopped = loop->stopped;
    loop->stopped = stopped;
}

// Removes a handle from the list of stopped handles. The list is nearly always empty.
static inline void reactive_uv_remove_stopped(reactive_uv_loop *_Nonnull loop, reactive_uv_registration *_Nonnull removed) {
    if (!removed->is_stopped) return;
    reactive_uv_registration **link = &loop->stopped;
    while (*link != removed) link = &(*link)->next_stopped;
    *link = removed->next_stopped;
    removed->is_stopped = false;
}
