import Glibc

/// The time of day, since 1970. Deadlines do not go by it: they are the loop's.
enum WallClock {
    static var now: (seconds: Int, microseconds: Int) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (time.tv_sec, time.tv_nsec / 1000)
    }
}
