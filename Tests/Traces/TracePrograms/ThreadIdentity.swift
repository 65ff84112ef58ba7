// SPDX-License-Identifier: MIT
import Glibc

/// A number that is unique among living threads.
func threadIdentity() -> UInt { UInt(pthread_self()) }
