// SPDX-License-Identifier: MIT
#pragma once
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <netinet/in.h>
#include <ares.h>
