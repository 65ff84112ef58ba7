// accept4, which Swift's Glibc leaves out.
#pragma once

// A connection that does not block and is not inherited by children, or -1 with errno.
int reactive_accept(int fd);
