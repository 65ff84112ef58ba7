// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCommands
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport
    import Synchronization

    /// The place of one response. Any thread may fill it. The first response or failure counts.
    struct ResponseSlot: Sendable {
        /// The reference is weak, because the service may retain the slot in a subscriber of the request's body, which the
        /// connection retains.
        private let connection: UnsafeTransfer<Weak<ServerConnection>>
        private let loop: any LoopScheduler
        /// The number of the request on its connection.
        private let number: Int
        /// The slots in limiters, the outermost first. They are free when the service has answered, so the body and an
        /// upgrade do not count.
        var admissions: [LoadAdmission] = []

        init(_ connection: ServerConnection, _ number: Int) {
            self.connection = UnsafeTransfer(Weak(connection))
            self.loop = connection.loop
            self.number = number
        }

        func respond(_ response: HTTPResponseMessage) {
            for admission in admissions { admission.end(with: response.head.status) }
            if loop.isCurrent {
                connection.value.object?.respond(response, to: number)
                return
            }
            loop.execute { [self] in connection.value.object?.respond(response, to: number) }
        }

        func fail(_ error: any Error) {
            for admission in admissions { admission.end(withFailure: error) }
            loop.runOrExecute { [self] in connection.value.object?.respond(failure: error, to: number) }
        }

        /// The service has completed. If it has sent no response, that is a failure.
        func complete() {
            for admission in admissions { admission.end(.ignored) }
            loop.runOrExecute { [self] in
                let error = HTTPError(.serviceFailed, "the service completed without a response")
                connection.value.object?.respond(failure: error, to: number)
            }
        }
    }

    /// The sink of the result of a service.
    struct ResponseTarget<Failure: Error>: SinkTarget, ~Copyable {
        private let slot: ResponseSlot
        private let subscription: SignalSubscription
        /// The response may be in the loop's queue when the loop's thread receives the termination. Atomic only so that a
        /// constant value can change it: the events of a signal do not overlap.
        private let hasResponded = Atomic<Bool>(false)

        init(_ slot: ResponseSlot, _ subscription: SignalSubscription) {
            self.slot = slot
            self.subscription = subscription
        }

        func receive(_ response: HTTPResponseMessage, _: TargetSink<ResponseTarget>) {
            if subscription.isDisposed { return }
            hasResponded.store(true, ordering: .relaxed)
            slot.respond(response)
        }

        func receive(termination: Termination<Failure>, _: TargetSink<ResponseTarget>) {
            guard subscription.end(), !hasResponded.load(ordering: .relaxed) else { return }
            switch termination {
            case .completed: slot.complete()
            case .failed(let error): slot.fail(error)
            }
        }
    }
#endif
