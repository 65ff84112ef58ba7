// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

extension HostKernel: EventSystem {
    func openEvent() -> Int32 {
        withHost { kernel, host in
            let result = host.descriptors.open(EventObject(host: host.index))
            kernel.trace.note(3, host.index, result, 0)
            return result
        }
    }

    func signalEvent(_ descriptor: Int32) {
        YieldPoint.pass()
        withHost { kernel, host in kernel.signalEvent(host, descriptor) }
    }

    func clearEvent(_ descriptor: Int32) {
        YieldPoint.pass()
        withHost { kernel, host in
            kernel.trace.note(4, host.index, descriptor, 0)
            (host.descriptors[descriptor] as? EventObject)?.signalCount = 0
        }
    }

    func openTimer() -> Int32 { withHost { _, host in host.descriptors.open(TimerObject(host: host.index)) } }

    func setTimer(_ descriptor: Int32, _ instant: LoopInstant?) {
        YieldPoint.pass()
        let time = instant.map { clock.instant(of: $0).nanoseconds }
        withHost { kernel, host in
            guard let timer = host.descriptors[descriptor] as? TimerObject else { return }
            kernel.set(timer, at: time)
        }
    }

    func closeEvent(_ descriptor: Int32) {
        YieldPoint.pass()
        withHost { kernel, host in
            kernel.trace.note(5, host.index, descriptor, 0)
            // A crash has closed it already.
            let object = host.descriptors[descriptor]
            guard object is EventObject || object is TimerObject else { return }
            _ = kernel.close(host, descriptor)
        }
    }

    func addListener(_ descriptor: Int32, to signal: Int32) -> Int32 {
        YieldPoint.pass()
        return withHost { _, host in
            guard (1..<65).contains(signal), signal != SIGKILL, signal != SIGSTOP else { return EINVAL }
            guard host.descriptors[descriptor] is EventObject else { return EBADF }
            host.signalListeners[signal, default: []].append(descriptor)
            return 0
        }
    }

    func removeListener(_ descriptor: Int32, of signal: Int32) {
        YieldPoint.pass()
        withHost { _, host in
            guard let place = host.signalListeners[signal]?.firstIndex(of: descriptor) else { return }
            host.signalListeners[signal]?.remove(at: place)
        }
    }
}
