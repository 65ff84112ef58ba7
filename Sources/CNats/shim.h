// SPDX-License-Identifier: MIT
#pragma once
#include <nats/nats.h>
