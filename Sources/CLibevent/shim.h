// SPDX-License-Identifier: MIT
#pragma once
// These system headers come first, so that libevent's `#define _GNU_SOURCE` does not change the system's types. Swift's
// Glibc module declares `fd_set` without it, and a type must not differ between two modules.
#include <sys/types.h>
#include <sys/time.h>
#include <event2/event.h>
// Declares an event's flags. They show whether a base still has the event, even after the base has been freed.
#include <event2/event_struct.h>
