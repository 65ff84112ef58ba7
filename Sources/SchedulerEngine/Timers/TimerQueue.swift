/// The timers of a loop (rules T6, T7).
typealias TimerQueue = DeadlineQueue<TimerEntry>
