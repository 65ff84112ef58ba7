// How many bytes malloc has given out and not got back; 0 under a sanitizer, which has a malloc of its own.
#pragma once
#include <stddef.h>
size_t heap_bytes_in_use(void);
