// SPDX-License-Identifier: MIT
#include "clients.h"
#include "adapters.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number of commands in flight.
enum { WINDOW = 64 };

struct clients {
    int count;
    void (*done)(void *context, int which, int answered, int wrong);
    void *context;
    redisAsyncContext *redis;
    int asked, answered, wrong;
    natsConnection *nats;
    natsSubscription *subscription;
    int received, misplaced;
};

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(natsStatus status, const char *what) {
    if (status != NATS_OK) fail(what, natsStatus_GetText(status));
}

static void answered(redisAsyncContext *redis, void *raw, void *data);

static void ask(clients *all) {
    all->asked++;
    if (redisAsyncCommand(all->redis, answered, all, "INCR guests") != REDIS_OK) fail("INCR", all->redis->errstr);
}

static void answered(redisAsyncContext *redis, void *raw, void *data) {
    clients *all = data;
    redisReply *reply = raw;
    if (reply == NULL) fail("Redis", redis->errstr);
    all->answered++;
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer != all->answered) all->wrong++;
    if (all->asked < all->count) ask(all);
    if (all->answered == all->count) all->done(all->context, 0, all->answered, all->wrong);
}

static void received(natsConnection *nats, natsSubscription *subscription, natsMsg *message, void *data) {
    clients *all = data;
    (void)nats;
    (void)subscription;
    int number = -1;
    if (natsMsg_GetDataLength(message) == sizeof number) memcpy(&number, natsMsg_GetData(message), sizeof number);
    if (number != all->received) all->misplaced++;
    natsMsg_Destroy(message);
    if (++all->received == all->count) all->done(all->context, 1, all->received, all->misplaced);
}

clients *clients_start(
    void *loop, int is_uv, const char *redis_path, const char *nats_url, int count,
    void (*done)(void *context, int which, int answered, int wrong), void *context) {
    clients *all = calloc(1, sizeof *all);
    if (all == NULL) abort();
    all->count = count;
    all->done = done;
    all->context = context;

    all->redis = redisAsyncConnectUnix(redis_path);
    if (all->redis == NULL || all->redis->err) fail("connecting to Redis", all->redis ? all->redis->errstr : "no memory");
    if ((is_uv ? clients_uv_attach_redis(all->redis, loop) : clients_event_attach_redis(all->redis, loop)) != REDIS_OK)
        fail("hiredis", "cannot attach");
    for (int index = 0; index < WINDOW && index < count; index++) ask(all);

    natsOptions *options = NULL;
    check(natsOptions_Create(&options), "natsOptions_Create");
    check(natsOptions_SetURL(options, nats_url), nats_url);
    check(is_uv ? clients_uv_prepare_nats(options, loop) : clients_event_prepare_nats(options, loop), "natsOptions_SetEventLoop");
    check(natsConnection_Connect(&all->nats, options), "connecting to NATS");
    natsOptions_Destroy(options);
    check(natsConnection_Subscribe(&all->subscription, all->nats, "guests", received, all), "subscribing");
    check(natsSubscription_SetPendingLimits(all->subscription, -1, -1), "pending limits");
    for (int number = 0; number < count; number++)
        check(natsConnection_Publish(all->nats, "guests", &number, sizeof number), "publishing");
    return all;
}

void clients_end(clients *all) {
    redisAsyncDisconnect(all->redis);
    natsSubscription_Destroy(all->subscription);
    natsConnection_Destroy(all->nats);
    free(all);
}
