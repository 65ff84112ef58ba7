import Glibc

/// Spaces out what a test's own thread does to a loop, so that the loop gets to park between. Nothing is synchronised by
/// it: a test that passes only because of its length is wrong.
package func pace(microseconds: Int) {
    var time = timespec(tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1000)
    nanosleep(&time, nil)
}
