#define _GNU_SOURCE
#include "include/reactive_socket.h"
#include <stddef.h>
#include <sys/socket.h>

int reactive_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }
