// SPDX-License-Identifier: MIT
// A Redis client (hiredis) and a NATS client (nats.c) on a host's loop, attached by their own adapters.
#pragma once

// The host's loop: creates it, runs it until nothing is left in it, frees it.
void *_Nonnull clients_uv_new(void);
void clients_uv_run(void *_Nonnull loop);
void clients_uv_free(void *_Nonnull loop);
void *_Nonnull clients_event_new(void);
void clients_event_run(void *_Nonnull base);
void clients_event_free(void *_Nonnull base);

typedef struct clients clients;
// Begins `count` INCR commands, and `count` messages to the client itself. `done` is called twice: for Redis (0) on the loop's
// thread, for NATS (1) on a thread of nats.c. `wrong` is the number of replies out of order.
clients *_Nonnull clients_start(
    void *_Nonnull loop, int is_uv, const char *_Nonnull redis_path, const char *_Nonnull nats_url, int count,
    void (*_Nonnull done)(void *_Nonnull context, int which, int answered, int wrong), void *_Nonnull context);
// Called on the loop's thread after both are done: removes everything from the loop.
void clients_end(clients *_Nonnull all);
