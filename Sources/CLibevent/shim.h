#pragma once
// First, so that libevent's own `#define _GNU_SOURCE` comes too late to change the system's types: Swift's Glibc module has
// `fd_set` without it, and a type may not differ between two modules.
#include <sys/types.h>
#include <sys/time.h>
#include <event2/event.h>
// What an event's flags are: whether a base still has it can be asked of the event alone, not of a base that may be gone.
#include <event2/event_struct.h>
