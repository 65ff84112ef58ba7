// SPDX-License-Identifier: MIT
#include "adapters.h"
#include "clients.h"
#include <hiredis/adapters/libuv.h>
#include <nats/adapters/libuv.h>

void *clients_uv_new(void) {
    uv_loop_t *loop = malloc(sizeof *loop);
    if (loop == NULL || uv_loop_init(loop) != 0) abort();
    return loop;
}

void clients_uv_run(void *loop) {
    while (uv_run(loop, UV_RUN_DEFAULT) != 0) {
    }
}

void clients_uv_free(void *loop) {
    if (uv_loop_close(loop) != 0) abort();
    free(loop);
}

int clients_uv_attach_redis(redisAsyncContext *context, void *loop) { return redisLibuvAttach(context, loop); }

natsStatus clients_uv_prepare_nats(natsOptions *options, void *loop) {
    natsLibuv_Init();
    natsLibuv_SetThreadLocalLoop(loop);
    return natsOptions_SetEventLoop(options, loop, natsLibuv_Attach, natsLibuv_Read, natsLibuv_Write, natsLibuv_Detach);
}
