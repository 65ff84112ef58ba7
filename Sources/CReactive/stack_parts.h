// SPDX-License-Identifier: MIT
// The parts of a stack's capture that stack.c, symbols.c and fork.c share.
#pragma once

// Finds the demangler. reactive_stack_prepare calls it.
void reactive_symbols_prepare(void);

// Call them before a fork, and after it in the parent and in the child. In between, no thread reads the loader's list of
// modules, so its lock is free in the child.
void reactive_modules_lock(void);
void reactive_modules_unlock(void);
// Call it after the fork in the child, which has none of the threads that captured a stack.
void reactive_stack_forked(void);
