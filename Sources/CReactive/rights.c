// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_rights.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define LIMIT 64

union control {
    struct cmsghdr alignment;
    char space[CMSG_SPACE(LIMIT * sizeof(int))];
};

long reactive_send_descriptors(
    int socket, const void *bytes, size_t length, const int *descriptors, size_t count) {
    if (count > LIMIT) {
        errno = EINVAL;
        return -1;
    }
    struct iovec part = {(void *)bytes, length};
    union control control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.space;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

long reactive_receive_descriptors(
    int socket, void *bytes, size_t length, int *descriptors, size_t *count, bool *truncated) {
    size_t room = *count;
    struct iovec part = {bytes, length};
    union control control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control};
    *count = 0;
    *truncated = false;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return -1;
    *truncated = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < arrived; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            if (*count < room) {
                descriptors[(*count)++] = descriptor;
            } else {
                close(descriptor);
                *truncated = true;
            }
        }
    }
    return received;
}

int reactive_peer_user(int socket, uint32_t *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return errno;
    *user = peer.uid;
    return 0;
}
