// SPDX-License-Identifier: MIT
import Glibc

/// The time since 1970. Only conversions and `MONITOR` use it. Deadlines use the loop's monotonic clock.
enum WallClock {
    static var now: (seconds: Int, microseconds: Int) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (time.tv_sec, time.tv_nsec / 1000)
    }
}
