/// A time to live as a request says it.
enum ExpireTime {
    enum Unit { case seconds, milliseconds, secondsSinceEpoch, millisecondsSinceEpoch }

    /// How many milliseconds from now that is; below zero where it is in the past.
    ///
    /// - Throws: `invalidExpireTime` where the time since 1970 does not fit an `Int` of milliseconds, as in Redis.
    static func milliseconds(_ number: Int, _ unit: Unit, for command: String) throws(CommandFailure) -> Int {
        let isInSeconds = unit == .seconds || unit == .secondsSinceEpoch
        let (milliseconds, isTooLarge) = number.multipliedReportingOverflow(by: isInSeconds ? 1000 : 1)
        if isTooLarge { throw .invalidExpireTime(command) }
        let time = WallClock.now
        let now = time.seconds * 1000 + time.microseconds / 1000
        switch unit {
        case .secondsSinceEpoch, .millisecondsSinceEpoch:
            // A number from a client that is not below zero: the difference fits.
            return milliseconds.subtractingReportingOverflow(now).partialValue
        case .seconds, .milliseconds:
            if milliseconds.addingReportingOverflow(now).overflow { throw .invalidExpireTime(command) }
            return milliseconds
        }
    }
}
