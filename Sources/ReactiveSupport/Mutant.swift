/// Faults that a loop, a socket or a hop can be given, to find out whether the conformance kit notices (Docs/Mutants.md).
///
/// They are there only in a build with `-DMUTANTS`, where the variable `MUTANT` names the one in force; in every other build
/// ``fault(_:)`` is the constant `false`, and the compiler removes what it guards. Tests/Mutants/kills.txt says which rules
/// have to notice.
@usableFromInline
package enum Mutant: CaseIterable, Sendable {
    // MARK: Order and fairness

    /// Work of a turn runs newest first.
    case workBackwards
    /// A piece of work runs twice.
    case workTwice
    /// Work given on the loop runs at once, inside the call.
    case workInline
    /// Work given by work runs in the same turn.
    case workInSameTurn
    /// Timers fire before work and descriptors.
    case timersFirst
    /// Timers fire before descriptors.
    case timersBeforeDescriptors
    /// What a turn has left of the work waits for the next event.
    case leftWorkWaits
    /// Closures of work are never let go of.
    case workKept
    /// A watch is called in the turn in which it was made.
    case watchInSameTurn
    /// A timer fires in the turn in which it was set.
    case timerInSameTurn
    /// Work given by the loop's own callbacks is seen when the next wait is over.
    case postsUnseen
    /// Work with a handle overtakes work without one.
    case workOvertakes
    /// Descriptors are looked at only when no work is left.
    case descriptorsOnlyWhenIdle
    /// Timers are looked at only when no work is left.
    case timersOnlyWhenIdle
    /// A watch is called twice in a turn.
    case watchCalledTwice

    // MARK: Timers

    /// Timers fire up to 5 ms early.
    case timersEarly
    /// A loop that waits for a timer waits 100 ms longer.
    case timersLate
    /// The clock moves every 64 ms.
    case clockIsCoarse
    /// The clock goes back 2 ms now and then.
    case clockGoesBack
    /// A delay counts from the beginning of the turn.
    case timersCountFromTurn
    /// Timers fire until none is due, those set meanwhile too.
    case timersUntilNoneIsDue
    /// The clock is an hour ahead of the system's.
    case clockIsAnother
    /// A timer that is due at once fires inside the call that sets it.
    case timerInline
    /// A timer set to an instant that has passed never fires.
    case pastNeverFires
    /// A timer that is too far away for the arithmetic fires at once.
    case endlessFiresNow
    /// Timers with equal deadlines fire in reverse.
    case equalTimersBackwards
    /// Timers fire in the order of setting, whatever their deadlines.
    case timersByInsertion
    /// A cancelled timer fires.
    case cancelIgnored
    /// The closure of a cancelled timer is kept.
    case cancelledClosureLeaks
    /// A repeating timer cannot cancel itself.
    case repeatGoesOn
    /// Cancelling a timer that has fired traps.
    case lateCancelTraps
    /// Timers that are due together cannot cancel each other.
    case dueTimersTaken
    /// Another thread's cancel takes effect some time later.
    case cancelHops
    /// A cancelled timer keeps the loop alive.
    case cancelledStaysAlive
    /// A fixed rate counts from the firing that was late.
    case rateDrifts
    /// Firings of a fixed rate that were missed are made up one by one.
    case missedAllMade
    /// A fixed delay counts from the deadline.
    case delayFromStart
    /// A repeating timer fires again in the same turn while it is due.
    case repeatsInSameTurn
    /// A repeating timer without an interval fires once.
    case zeroRepeatsOnce
    /// The loop never waits, it asks again and again.
    case waitSpins
    /// Leeway makes timers early.
    case leewayEarly
    /// A turn that does not wait fires no timers.
    case pollingRunFiresNothing
    /// A timer that another thread sets does not wake the loop.
    case timerWakesNobody

    // MARK: Hops to a loop

    /// Nothing that another thread does wakes a loop that waits.
    case wakeLost
    /// One wake-up of fifty is lost.
    case wakeSometimesLost
    /// One piece of work of a hundred is lost.
    case workSometimesLost
    /// Work that another thread gives runs there.
    case workOnCaller
    /// Every post wakes the loop, whether it waits or not.
    case wakesForEach
    /// The wake-up stays readable.
    case wakeNotRead
    /// A task's job that comes after disposal is dropped.
    case jobDropped
    /// Work given after disposal runs.
    case workAfterDisposal

    // MARK: The current scheduler

    /// Timers fire without the loop being current.
    case timersWithoutCurrent
    /// The current scheduler is not put back.
    case currentStays
    /// A loop says that it is current on every thread.
    case currentEverywhere
    /// Watches are called on a thread of their own.
    case watchOnOtherThread

    // MARK: Run, stop, keep-alive

    /// Something of its own keeps a loop alive for good.
    case neverIdle
    /// `runUntilIdle` looks at work only.
    case idleTooEarly
    /// A stop lets the work of the turn go on.
    case stopAfterAllWork
    /// A stop drops the work that is left.
    case stopDropsWork
    /// After a stop the turn goes on, and waits.
    case stoppedTurnWaits
    /// A stop before the run is forgotten.
    case earlyStopForgotten
    /// A stop before the run is never used up.
    case earlyStopStays
    /// A stop from another thread does not end the wait.
    case stopWakesNobody
    /// A stop from a callback does nothing.
    case stopLostOnLoop
    /// A loop that runs can be run again.
    case runsInsideRun
    /// `runOnce(waiting: false)` waits.
    case pollingRunWaits
    /// `runOnce(waiting: true)` returns when anything wakes it.
    case wakeEndsWaitingRun
    /// After a stop the descriptors and timers that are due are still called.
    case stopEndsBatchLate
    /// Whatever is told not to keep the loop alive does so.
    case everythingKeepsAlive
    /// Watches that do not keep the loop alive are not called.
    case unkeptUncalled

    // MARK: Process signals, children, the main queue

    /// Writing to a peer that has gone raises SIGPIPE.
    case pipeSignal
    /// A process signal wakes the loop, and its handler is not called.
    case signalUntold
    /// The last handler of a process signal leaves its disposition behind.
    case dispositionStays
    /// Only one of two handlers of a process signal is told.
    case signalToOneOnly
    /// The end of a child is told, and its remains are left.
    case childUnreaped
    /// A wait that a process signal interrupts breaks the loop down.
    case interruptionIsFailure
    /// A loop does not notice that it is in a forked child.
    case forkUnnoticed
    /// A main loop does not serve the main queue.
    case mainQueueUnserved
    /// The main queue's handle is not read, and stays ready.
    case mainQueueNotRead
    /// The main queue is drained until it is empty, and then again.
    case mainQueueDrainedForGood
    /// Every loop serves the main queue.
    case everyLoopServesMainQueue

    // MARK: Disposal

    /// A watch that has been disposed is called.
    case disposedWatchCalled
    /// A watch that another thread disposes stays.
    case watchOutlivesHop
    /// What a loop held when it was disposed is kept.
    case loopLeaks
    /// A loop's own descriptor stays open.
    case wakeDescriptorLeaks
    /// Work that a disposed loop has dropped is not marked as disposed.
    case workOutlivesLoop
    /// Disposing a running loop does not end its run.
    case disposeGoesOn
    /// Disposing a loop does not wait for its thread.
    case disposeWaitsForNobody
    /// A disposed loop says that it is running.
    case disposedIsBusy
    /// Disposing a loop again traps.
    case disposingTwiceTraps
    /// An event goes to whoever has the descriptor's number.
    case staleEvents
    /// A descriptor whose last watch has gone stays registered.
    case registrationStays

    // MARK: Descriptors

    /// Hang-ups and errors are not ready for anything.
    case hangUpUntold
    /// A descriptor is called when something new comes, and not again.
    case edgeTriggered
    /// The last watch of a descriptor decides what it is watched for.
    case lastWatchWins
    /// What a watch is for cannot be changed.
    case interestStays
    /// A descriptor that cannot be watched is taken.
    case badDescriptorTaken
    /// A watch that was refused stays in the loop's table.
    case refusedWatchStays

    // MARK: Sockets

    /// One accepted peer of ten is dropped.
    case peerDropped
    /// A listener accepts while its observer pauses.
    case acceptsWhilePaused
    /// A listener without descriptors asks again at once.
    case exhaustionSpins
    /// A listener without descriptors breaks off.
    case exhaustionEnds
    /// A listener's address cannot be had again at once.
    case addressNotReused
    /// A listener that was refused leaves its socket open.
    case refusedListenerLeaks
    /// Connecting has no time limit.
    case connectsForGood
    /// An attempt to connect that failed leaves its socket open.
    case refusedSocketLeaks
    /// Connecting that has been given up goes on.
    case cancelledConnects
    /// What the kernel did not take of a write is lost.
    case shortWriteLost
    /// A full or empty socket is a failure.
    case wouldBlockIsFailure
    /// Pieces that wait together are sent in reverse.
    case piecesBackwards
    /// The high watermark is never told.
    case highWatermarkUntold
    /// The low watermark is never told: who is held back stays so.
    case lowWatermarkUntold
    /// A source is not held back above the high watermark.
    case sourceNotHeld
    /// Receiving does not go on after a pause.
    case resumeForgotten
    /// A paused connection reads.
    case readsWhilePaused
    /// The peer's end is not told.
    case endUntold
    /// The peer's end closes both ways.
    case endClosesBoth
    /// Ending sending drops what waits.
    case finishDropsWaiting
    /// A reset is told as an end.
    case resetIsEnd
    /// `abort` ends in good order.
    case abortIsClose
    /// `close` drops what waits.
    case closeIsAbort
    /// Closing while a chunk is delivered does nothing.
    case closeInsideIgnored
    /// A descriptor is closed again a turn later.
    case closedTwice
    /// A connection's descriptor stays open.
    case socketLeaks
    /// A listener on an IPv6 wildcard serves IPv6 alone.
    case onlyIPv6
    /// The file of a dead server is not replaced.
    case staleFileStays
    /// A listener leaves its file behind.
    case socketFileStays
    /// The answer to a name is told on the thread that looked it up.
    case nameToldAnywhere
    /// A datagram that was cut does not say so.
    case cutUntold
    /// Accepted sockets are inherited by children.
    case acceptedIsInherited
    /// Sockets send with delay.
    case sendsWithDelay

    // MARK: Signals

    /// A hop delivers its newest value first.
    case hopBackwards
    /// A hop delivers where it was sent.
    case hopInline
    /// A hop never holds its source back.
    case hopUnbounded
    /// A hop that has caught up does not let its source go on.
    case hopKeepsHold
    /// A hop delivers during a pause.
    case hopIgnoresPause
    /// A hop delivers after it has been disposed.
    case hopOutlivesDisposal
    /// `subscribe(on:)` starts the source where it is called.
    case subscribesInline
    /// A delay is none.
    case delayShort
    /// A delay holds failures back too.
    case failureDelayed
    /// Whoever sends delivers, whoever else is at it.
    case deliveriesOverlap
}
