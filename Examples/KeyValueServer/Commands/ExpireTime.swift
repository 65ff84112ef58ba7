/// A time to live as a request says it.
enum ExpireTime {
    enum Unit { case seconds, milliseconds }

    /// The number in milliseconds, where Redis could tell the moment that it ends at.
    static func milliseconds(_ number: Int, _ unit: Unit, for command: String) throws(CommandFailure) -> Int {
        let (milliseconds, isTooLarge) = number.multipliedReportingOverflow(by: unit == .seconds ? 1000 : 1)
        let now = WallClock.now.seconds * 1000
        if isTooLarge || milliseconds > Int.max - now { throw .invalidExpireTime(command) }
        return milliseconds
    }
}
