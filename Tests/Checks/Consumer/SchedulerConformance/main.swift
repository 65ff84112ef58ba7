import SchedulerConformance
import SchedulerEngine

let epoll = LoopDescription("epoll") { name, isOwned in
    try EpollLoop(name: name, thread: isOwned ? .owned : .caller)
}
Conformance.main([epoll])
