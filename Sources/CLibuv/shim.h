// SPDX-License-Identifier: MIT
#pragma once
#include <errno.h>
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

// Registers the handle with the kernel immediately; uv_poll_start would leave that to the next uv_run. Returns 0 or an
// errno. After an errno the caller must stop the handle.
//
// libuv aborts the process if the kernel refuses the registration in uv_run, for example because another thread has
// closed the descriptor in between. The fields of a watcher are public. This function removes the watcher from the
// queue of changes, whose links are the next watcher and the previous one.
static inline int reactive_uv_poll_commit(uv_poll_t *_Nonnull handle) {
    uv__io_t *watcher = &handle->io_watcher;
    if (watcher->events == watcher->pevents) return 0;
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = watcher->pevents;
    event.data.fd = watcher->fd;
    int epoll = uv_backend_fd(handle->loop);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, watcher->fd, &event) != 0 &&
        (errno != EEXIST || epoll_ctl(epoll, EPOLL_CTL_MOD, watcher->fd, &event) != 0))
        return errno;
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
