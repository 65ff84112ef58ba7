// A Redis client (hiredis) and a NATS client (nats.c) on a host's loop, as their own adapters attach them.
#pragma once

// The host's loop: made, run until nothing is left in it, given back.
void *_Nonnull clients_uv_new(void);
void clients_uv_run(void *_Nonnull loop);
void clients_uv_free(void *_Nonnull loop);
void *_Nonnull clients_event_new(void);
void clients_event_run(void *_Nonnull base);
void clients_event_free(void *_Nonnull base);

typedef struct clients clients;
// Begins `count` INCR commands, and `count` messages to itself. `done` is called twice: for Redis (0) on the loop's thread, for NATS
// (1) on a thread of nats.c's. `wrong` is how many answers were not the next one.
clients *_Nonnull clients_start(
    void *_Nonnull loop, int is_uv, const char *_Nonnull redis_path, const char *_Nonnull nats_url, int count,
    void (*_Nonnull done)(void *_Nonnull context, int which, int answered, int wrong), void *_Nonnull context);
// On the loop's thread, when both are done: takes everything off the loop.
void clients_end(clients *_Nonnull all);
