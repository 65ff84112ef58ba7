// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The questions, channels and cache of a resolver. Every member except `addresses` is called on the loop.
    ///
    /// User code runs only when a look-up ends. c-ares is never active then, and the state is consistent. So user code
    /// may start and cancel look-ups, and dispose the resolver.
    final class AresCore: LoopBound {
        let loop: any LoopScheduler
        let settings: AresSettings
        /// The reason why the resolver has ended.
        private var end: SocketError?
        /// The questions that have not been answered, by key.
        private var questions: [String: AresQuestion] = [:]
        /// The questions that were asked before the configuration changed. Their answers are for their own look-ups
        /// only.
        private var replaced: [AresQuestion] = []
        /// The questions that wait for a free slot, including abandoned ones.
        private var queue = FIFO<AresQuestion>()
        /// The number of questions in the queue without a look-up.
        private var abandonedCount = 0
        /// The number of questions that c-ares works on.
        private var askedCount = 0
        /// How many of them have a look-up. c-ares cannot cancel a question, so the others must not occupy a slot.
        private var activeCount = 0
        /// The number of look-ups that have not ended.
        private var lookUpCount = 0
        private var lookUpNumber = 0
        private var cache: AnswerCache
        private var channels: AresChannels
        /// The answers of c-ares that have not been passed on.
        private var answers = FIFO<(request: AresRequest, answer: AresAnswer)>()
        private var isCollecting = false
        /// Abandons the look-ups with the loop.
        var loopEnd: ScopedDisposable?
        let activity = LibraryActivity()

        init(_ loop: any LoopScheduler, _ settings: AresSettings) {
            self.loop = loop
            self.settings = settings
            cache = AnswerCache(capacity: settings.cacheCapacity)
            channels = AresChannels(settings)
        }

        // MARK: Look-ups

        /// The look-up of a subscriber on `loop`. Any thread may subscribe.
        static func addresses(
            of host: String,
            port: UInt16,
            for loop: any LoopScheduler,
            from core: UnsafeTransfer<AresCore>
        ) -> Signal<[SocketAddress], SocketError> {
            Signal { emitter, subscription in
                let finish: @Sendable (Result<[SocketAddress], SocketError>) -> Void = { result in
                    emitter.receive(result.map { addresses in addresses.map { $0.with(port: port) } })
                }
                if let system = SimulatedDescriptors.system {
                    let lookUp = system.resolve(host, port: port, finish)
                    return subscription.onDispose { lookUp.dispose() }
                }
                let own = core.value.loop
                if let error = own.refusal(as: SocketError.self) { return emitter.fail(error) }
                let lookUp = UnsafeTransfer(AresLookUp(host, loop, finish))
                subscription.onDispose { own.runOrExecute { core.value.cancel(lookUp.value) } }
                let start = PendingStart(own, finish)
                // Always in a job: a C callback inside of the loop's wait must not watch a socket.
                own.execute { if start.begin() { core.value.start(lookUp.value) } }
            }
        }

        private func start(_ lookUp: AresLookUp) {
            if lookUp.hasEnded { return }
            let host = lookUp.host
            if let end { return lookUp.end(.failure(end)) }
            if channels.noticeChange() {
                cache.removeAll()
                replaced += questions.values.filter { $0.state == .asked }
                questions = questions.filter { $0.value.state == .waiting }
            }
            // Only ASCII letters: `lowercased()` turns the Kelvin sign into k, which is another name in DNS.
            let key = String(decoding: Bytes(host).lowercasedASCII(), as: UTF8.self)
            if let addresses = cache.addresses(of: key, at: loop.now) { return lookUp.end(.success(addresses)) }
            guard lookUpCount < settings.maximumLookUps else {
                let what = "cannot resolve host \"\(host)\": \(lookUpCount) look-ups are under way"
                return lookUp.end(.failure(.system(what, AresStatus.limit)))
            }
            lookUpNumber += 1
            lookUpCount += 1
            lookUp.number = lookUpNumber
            if let question = questions[key] {
                if question.lookUpCount == 0 {
                    if question.state == .waiting { abandonedCount -= 1 } else { activeCount += 1 }
                }
                return question.add(lookUp)
            }
            let question = AresQuestion(host, key)
            question.add(lookUp)
            questions[key] = question
            queue.append(question)
            askNext()
            collect()
        }

        private func cancel(_ lookUp: AresLookUp) {
            guard let question = lookUp.question else { return lookUp.drop() }
            lookUp.question = nil
            question.removeOne()
            lookUpCount -= 1
            if question.lookUpCount == 0, question.state == .asked { activeCount -= 1 }
            if lookUpCount == 0 {
                // Nothing waits for the answers, so the sockets are closed.
                queue = FIFO()
                abandonedCount = 0
                (questions, replaced) = ([:], [])
                if askedCount > 0 { channels.destroyAll() }
                collect()
            } else if question.lookUpCount == 0, question.state == .waiting {
                abandonedCount += 1
                if abandonedCount > 16, abandonedCount > queue.count / 2 { removeAbandoned() }
            } else if question.lookUpCount == 0 {
                // In a job, as for the start.
                let core = UnsafeTransfer(self)
                loop.execute {
                    core.value.askNext()
                    core.value.collect()
                }
            }
            // Last, because it may release user code (law 3).
            lookUp.drop()
        }

        private func removeAbandoned() {
            let all = queue.takeAll()
            for question in all {
                if question.lookUpCount > 0 { queue.append(question) } else { questions[question.key] = nil }
            }
            abandonedCount = 0
        }

        // MARK: Questions

        private func askNext() {
            let limit = max(1, settings.maximumConcurrency)
            while activeCount < limit, askedCount / 4 < limit, let question = queue.popFirst() {
                if question.lookUpCount == 0 {
                    abandonedCount -= 1
                    questions[question.key] = nil
                    continue
                }
                question.state = .asked
                askedCount += 1
                activeCount += 1
                do throws(AresStatus) {
                    let channel = try channels.current(self)
                    // Without a descriptor, c-ares would skip the hosts file and ask a server.
                    try ConfigurationStamp.checkAccess("/etc/hosts")
                    channel.ask(AresRequest(question, channel, self))
                    used(channel)
                } catch {
                    add(AresAnswer(failing: error), of: AresRequest(question, nil, self))
                }
            }
        }

        /// Passes readiness of a socket on to c-ares.
        func ready(_ channel: AresChannel, _ descriptor: Int32, _ readiness: Readiness) {
            channel.process(descriptor, readiness)
            used(channel)
            collect()
        }

        /// Lets c-ares handle the questions that have waited too long.
        func timeOut(_ channel: AresChannel) {
            channel.processTimeouts()
            used(channel)
            collect()
        }

        /// Does what c-ares's callbacks must not do. Call it after each call of c-ares.
        private func used(_ channel: AresChannel) {
            // A channel whose sockets the loop does not watch would only time out.
            if channel.sockets.watchFailure != nil { channels.destroy(channel) }
            channel.updateTimer()
            if activity.isAbandoned { abandon() }
        }

        /// Stores an answer. It is called by a callback of c-ares, so it must not call c-ares or user code.
        func add(_ answer: AresAnswer, of request: AresRequest) { answers.append((request, answer)) }

        /// Passes answers on, and asks the next questions.
        private func collect() {
            if isCollecting { return }
            isCollecting = true
            while let (request, answer) = answers.popFirst() {
                let question = request.question
                question.state = .answered
                askedCount -= 1
                if question.lookUpCount > 0 { activeCount -= 1 }
                let isCurrent = questions[question.key] === question
                if isCurrent { questions[question.key] = nil } else { replaced.removeAll { $0 === question } }
                let lookUps = question.takeLookUps()
                lookUpCount -= lookUps.count
                if isCurrent, end == nil, let expiry = answer.expiry(settings.timeToLive, from: loop.now) {
                    cache.add(answer.addresses, for: question.key, until: expiry)
                }
                let result = answer.result(of: question.name, request.channel)
                if let channel = request.channel { channels.answered(channel, answer) }
                askNext()
                for lookUp in lookUps { lookUp.end(result) }
            }
            isCollecting = false
        }

        // MARK: Ending

        func close() {
            end(SocketError(.closed, "the resolver of the loop \(loop.name) has been disposed"))
        }

        /// Look-ups of the disposed loop end without a notification, those of other loops fail.
        func abandon() {
            // The release of a watch has called this inside of c-ares. `used` calls it again.
            activity.isAbandoned = activity.isInLibrary
            if activity.isAbandoned { return }
            end(SocketError(refusal: .disposed(loop.name)), except: loop)
        }

        private func end(_ error: SocketError, except silent: (any LoopScheduler)? = nil) {
            if end != nil { return }
            end = error
            let all = (questions.values + replaced).flatMap { $0.takeLookUps() }.sorted { $0.number < $1.number }
            lookUpCount -= all.count
            activeCount = 0
            (questions, replaced) = ([:], [])
            queue = FIFO()
            abandonedCount = 0
            cache.removeAll()
            channels.destroyAll()
            collect()
            for lookUp in all {
                if lookUp.loop === silent { lookUp.drop() } else { lookUp.end(.failure(error)) }
            }
        }
    }
#endif
