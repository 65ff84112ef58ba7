// SPDX-License-Identifier: MIT
#pragma once
#include <errno.h>
#include <poll.h>
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
    // The Swift object that holds the handles that libuv has stopped.
    void *_Nonnull stopped;
} reactive_uv_loop;

// A poll handle, its interest, and the number of the last wait that has reported it. The handle's `data` is the token. The
// handle has the address of the struct.
typedef struct {
    uv_poll_t handle;
    uint8_t interest;
    uint32_t reported;
} reactive_uv_registration;

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a token must fit into the data of a handle");

static inline uint64_t reactive_uv_token(const uv_poll_t *_Nonnull handle) { return (uint64_t)(uintptr_t)handle->data; }
static inline void reactive_uv_set_token(uv_poll_t *_Nonnull handle, uint64_t token) { handle->data = (void *)(uintptr_t)token; }

// Passes the events of a descriptor to the kernel, by EPOLL_CTL_ADD or EPOLL_CTL_MOD. Returns 0 or an errno.
static inline int reactive_uv_control(const uv_loop_t *_Nonnull loop, int operation, int descriptor, unsigned int events) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.fd = descriptor;
    return epoll_ctl(uv_backend_fd(loop), operation, descriptor, &event) == 0 ? 0 : errno;
}

// Registers a started handle with the kernel immediately; uv_poll_start would leave that to the next uv_run. Returns 0 or an
// errno. After an errno the caller must stop the handle. Call it outside of uv_run: inside, libuv 1.45 to 1.48 removes a
// descriptor from the set later, after this registration.
//
// libuv aborts the process if the kernel refuses the registration in uv_run, for example because another thread has
// closed the descriptor in between. The fields of a watcher are public. This function removes the watcher from the
// queue of changes, whose links are the next watcher and the previous one.
static inline int reactive_uv_poll_commit(uv_poll_t *_Nonnull handle) {
    uv__io_t *watcher = &handle->io_watcher;
    if (watcher->events == watcher->pevents) return 0;
    int refusal = reactive_uv_control(handle->loop, EPOLL_CTL_ADD, watcher->fd, watcher->pevents);
    if (refusal == EEXIST) refusal = reactive_uv_control(handle->loop, EPOLL_CTL_MOD, watcher->fd, watcher->pevents);
    if (refusal) return refusal;
    watcher->events = watcher->pevents;
    char *own = (char *)&watcher->watcher_queue;
    char *links[2];
    memcpy(links, own, sizeof links);
    memcpy(links[0] + sizeof own, &links[1], sizeof own);
    memcpy(links[1], &links[0], sizeof own);
    links[0] = links[1] = own;
    memcpy(own, links, sizeof links);
    return 0;
}

// Registers a watcher, and leaves it in libuv's queue of changes. Returns 0 or an errno. libuv registers it again in its next
// uv_run, in its own way. That needs no kernel memory, because the descriptor is in the set.
static inline int reactive_uv_preregister(const uv_loop_t *_Nonnull loop, const uv__io_t *_Nonnull watcher) {
    int refusal = reactive_uv_control(loop, EPOLL_CTL_ADD, watcher->fd, watcher->pevents);
    return refusal == EEXIST ? 0 : refusal;
}

// Registers the descriptors in libuv's queue; for a new loop these are its own. Returns 0 or an errno. After an errno the caller
// must close the loop.
static inline int reactive_uv_loop_preregister(const uv_loop_t *_Nonnull loop) {
    const char *queue = (const char *)&loop->watcher_queue, *next;
    for (memcpy(&next, queue, sizeof next); next != queue; memcpy(&next, next, sizeof next)) {
        int refusal = reactive_uv_preregister(loop, (const uv__io_t *)(next - offsetof(uv__io_t, watcher_queue)));
        if (refusal) return refusal;
    }
    return 0;
}

// Changes the events of an active handle. uv_poll_start would remove the descriptor from the set first, and adding it again needs
// kernel memory. Returns 0 or an errno. After an errno the handle is unchanged.
static inline int reactive_uv_poll_change(uv_poll_t *_Nonnull handle, int events) {
    uv__io_t *watcher = &handle->io_watcher;
    unsigned int next = (events & UV_READABLE ? POLLIN : 0) | (events & UV_WRITABLE ? POLLOUT : 0);
    int refusal = reactive_uv_control(handle->loop, EPOLL_CTL_MOD, watcher->fd, next);
    // The set lacks the descriptor if its owner has closed it and the number has been reused.
    if (refusal == ENOENT) refusal = reactive_uv_control(handle->loop, EPOLL_CTL_ADD, watcher->fd, next);
    if (!refusal) watcher->events = watcher->pevents = next;
    return refusal;
}
