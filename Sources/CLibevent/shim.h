#pragma once
// First, so that libevent's own `#define _GNU_SOURCE` comes too late to change the system's types: Swift's Glibc module has
// `fd_set` without it, and a type may not differ between two modules.
#include <sys/types.h>
#include <sys/time.h>
#include <event2/event.h>
