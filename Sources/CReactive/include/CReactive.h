// SPDX-License-Identifier: MIT
// C functions that Swift cannot import from the system.
#pragma once
#include "reactive_census.h"
#include "reactive_file.h"
#include "reactive_fork.h"
#include "reactive_lock.h"
#include "reactive_memory.h"
#include "reactive_poll.h"
#include "reactive_process.h"
#include "reactive_rights.h"
#include "reactive_signal.h"
#include "reactive_socket.h"
#include "reactive_stack.h"
#include "reactive_tasks.h"
#include "reactive_thread.h"
#include "reactive_trim.h"
