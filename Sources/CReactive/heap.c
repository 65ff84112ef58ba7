#define _GNU_SOURCE
#include "include/reactive_heap.h"
#include <dlfcn.h>
#include <malloc.h>

size_t reactive_heap_in_use(void) { return mallinfo2().uordblks; }

bool reactive_is_sanitized(void) {
    return dlsym(RTLD_DEFAULT, "__tsan_init") != NULL || dlsym(RTLD_DEFAULT, "__asan_init") != NULL;
}
