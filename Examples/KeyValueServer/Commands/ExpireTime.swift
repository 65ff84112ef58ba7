// SPDX-License-Identifier: MIT
/// The time to live in a request.
enum ExpireTime {
    enum Unit { case seconds, milliseconds, secondsSinceEpoch, millisecondsSinceEpoch }

    /// The milliseconds from now. The value is negative if the time is in the past.
    ///
    /// - Throws: `invalidExpireTime` if the milliseconds since 1970 do not fit an `Int`, as in Redis.
    static func milliseconds(_ number: Int, _ unit: Unit, for command: String) throws(CommandFailure) -> Int {
        let isInSeconds = unit == .seconds || unit == .secondsSinceEpoch
        let (milliseconds, isTooLarge) = number.multipliedReportingOverflow(by: isInSeconds ? 1000 : 1)
        if isTooLarge { throw .invalidExpireTime(command) }
        let time = WallClock.now
        let now = time.seconds * 1000 + time.microseconds / 1000
        switch unit {
        case .secondsSinceEpoch, .millisecondsSinceEpoch:
            // SetOptions accepts only positive numbers here, so the difference fits.
            return milliseconds.subtractingReportingOverflow(now).partialValue
        case .seconds, .milliseconds:
            if milliseconds.addingReportingOverflow(now).overflow { throw .invalidExpireTime(command) }
            return milliseconds
        }
    }
}
