// SPDX-License-Identifier: MIT
#pragma once
#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <nats/nats.h>

int clients_uv_attach_redis(redisAsyncContext *context, void *loop);
natsStatus clients_uv_prepare_nats(natsOptions *options, void *loop);
int clients_event_attach_redis(redisAsyncContext *context, void *base);
natsStatus clients_event_prepare_nats(natsOptions *options, void *base);
