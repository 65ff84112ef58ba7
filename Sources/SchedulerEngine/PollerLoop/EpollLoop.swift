// SPDX-License-Identifier: MIT
/// An event loop that waits in epoll and needs no library.
///
/// - `EpollLoop(name: "io", thread: .owned)` owns a thread.
/// - `EpollLoop(name: "io", thread: .caller)` runs on the thread that calls `run()`.
/// - `EpollLoop.main` belongs to the main thread.
/// - `EpollLoop(attachedTo:name:)` is attached to a ``LoopHost`` that you write.
///
/// If other code runs the main thread, such as `dispatchMain()`, use `DispatchLoop` of the module `SchedulerDispatch`.
/// That loop also waits in epoll, and can be a guest of the main queue.
public typealias EpollLoop = PollerLoop<EpollPoller>
