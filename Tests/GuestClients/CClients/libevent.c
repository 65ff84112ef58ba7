// SPDX-License-Identifier: MIT
#include "adapters.h"
#include "clients.h"
#include <hiredis/adapters/libevent.h>
#include <nats/adapters/libevent.h>

// nats.c calls its adapter from its own threads, so the base needs locks.
void *clients_event_new(void) {
    natsLibevent_Init();
    struct event_base *base = event_base_new();
    if (base == NULL) abort();
    return base;
}

void clients_event_run(void *base) {
    while (event_base_dispatch(base) == 0) {
    }
}

void clients_event_free(void *base) { event_base_free(base); }

int clients_event_attach_redis(redisAsyncContext *context, void *base) { return redisLibeventAttach(context, base); }

natsStatus clients_event_prepare_nats(natsOptions *options, void *base) {
    return natsOptions_SetEventLoop(options, base, natsLibevent_Attach, natsLibevent_Read, natsLibevent_Write, natsLibevent_Detach);
}
