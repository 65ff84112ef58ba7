/// The plain event loop: it waits in epoll, and needs no library.
///
/// `EpollLoop(name: "io", thread: .owned)` owns a thread, `EpollLoop(name: "io", thread: .caller)` runs on the thread that calls
/// `run()`, `EpollLoop.main` is run by the main thread, and `EpollLoop(attachedTo:name:)` is attached to a ``LoopHost`` of your own.
/// If something else runs the main thread, such as `dispatchMain()`, use the module `SchedulerDispatch`: its `DispatchLoop` is this loop
/// in the form that shares libdispatch's queues.
public typealias EpollLoop = PollerLoop<EpollPoller>
