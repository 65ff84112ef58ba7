// SPDX-License-Identifier: MIT
import ReactiveCore

/// Wakes every millisecond before its first deadline.
enum RestlessBeforeDeadline: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.hasHadDeadline ? nil : .milliseconds(1) }
}

/// Wakes every millisecond with a watch before its first deadline.
enum RestlessWithFirstWatch: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? {
        history.hasWatch && !history.hasHadDeadline ? .milliseconds(1) : nil
    }
}

/// Wakes every millisecond before its first deadline, after another thread has ended a wait.
enum RestlessAfterHop: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? {
        history.hasWoken && !history.hasHadDeadline ? .milliseconds(1) : nil
    }
}

/// Wakes every millisecond with a watch, after a descriptor has been ready.
enum RestlessAfterEvent: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? {
        history.hasWatch && history.hasReported ? .milliseconds(1) : nil
    }
}

/// Wakes every millisecond while something is watched for writing.
enum RestlessForWriting: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.hasWriter ? .milliseconds(1) : nil }
}

/// Wakes every 20 ms.
enum SlowlyRestless: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { .milliseconds(20) }
}

/// Reports only the two lowest of the ready descriptors if the wait has a deadline.
enum FewBeforeDeadline: PollerFault {
    static let mostBeforeDeadline = 2
}

/// Never reports a descriptor that is too high for `select`.
enum DeafToHighNumbers: PollerFault {
    static func isDeaf(to descriptor: Int32) -> Bool { descriptor >= 1024 }
}

enum NeverNarrows: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.neverNarrows]
}

enum KeepsClosedNumbers: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.keepsClosedNumbers]
}

enum ReportsClosedNumbers: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.reportsClosedNumbers]
}

enum SpinsElsewhere: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.spinsElsewhere]
}

enum DeafElsewhere: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.deafElsewhere]
}

enum BlocksSignals: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.blocksSignals]
}

enum LateIfLong: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.lateIfLong]
}

enum FailsInThePast: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.failsInThePast]
}

enum OverflowsInAMonth: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.overflowsInAMonth]
}

enum EdgeTriggeredPipes: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.edgeTriggeredPipes]
}

enum IgnoresSocketErrors: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.ignoresSocketErrors]
}

/// Wakes every millisecond while more than twenty descriptors are watched.
enum RestlessWithMany: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.watches > 20 ? .milliseconds(1) : nil }
}

/// Wakes every millisecond after a signal has interrupted a wait.
enum RestlessAfterSignal: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.wasInterrupted ? .milliseconds(1) : nil }
}

/// Wakes every millisecond while a listening socket is watched.
enum RestlessWithListener: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.hasListener ? .milliseconds(1) : nil }
}

/// Wakes every millisecond while two descriptors are watched for writing.
enum RestlessForTwoWriters: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.writers > 1 ? .milliseconds(1) : nil }
}

enum IgnoresRemoval: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.ignoresRemoval]
}

enum AlwaysReads: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.alwaysReads]
}

enum ReportsEndOfSending: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.reportsEndOfSending]
}

enum RestartsWaits: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.restartsWaits]
}

enum DeafAfterThousand: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.deafAfterThousand]
}

enum RefusesAfterThousand: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.refusesAfterThousand]
}

enum RestlessForMinutes: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.restlessForMinutes]
}

enum LateByAQuarter: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.lateByAQuarter]
}

enum IgnoresHangUpsAsleep: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.ignoresHangUpsAsleep]
}

enum LeaksThreads: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.leaksThreads]
}

enum EdgeTriggeredTerminals: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.edgeTriggeredTerminals]
}

enum BlocksTermination: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.blocksTermination]
}

enum SpinsBeforeDeadlines: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.spinsBeforeDeadlines]
}

enum SpinsForBoth: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.spinsForBoth]
}

enum ForgetsUnchanged: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.forgetsUnchanged]
}

enum StartsRestlessThread: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.startsRestlessThread]
}

enum UnblocksSignals: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.unblocksSignals]
}

/// Never reports descriptor 0.
enum DeafToZero: PollerFault {
    static func isDeaf(to descriptor: Int32) -> Bool { descriptor == 0 }
}

enum SetsFlags: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.setsFlags]
}

enum ClosesZero: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.closesZero]
}

enum SlicesWaits: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.slicesWaits]
}

enum KeepsRefused: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.keepsRefused]
}

enum SpinsBesideWatches: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.spinsBesideWatches]
}

enum DeafBeforeDeadlines: PollerFault {
    static let deafness = Duration.seconds(1)
}

/// Wakes every five milliseconds while it has more than 256 watches.
enum RestlessWithHundreds: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.watches > 256 ? .milliseconds(5) : nil }
}

enum DeafBeforeShortDeadlines: PollerFault {
    static let deafness = Duration.milliseconds(400)
}

enum KeepsRefusedChanges: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.keepsRefusedChanges]
}

enum StopsAtDeadline: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.stopsAtDeadline]
}
