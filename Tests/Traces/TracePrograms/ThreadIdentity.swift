import Glibc

/// A number that no other living thread has.
func threadIdentity() -> UInt { UInt(pthread_self()) }
