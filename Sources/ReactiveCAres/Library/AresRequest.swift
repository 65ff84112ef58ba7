// SPDX-License-Identifier: MIT
#if CAres
    import CCares

    /// A question that a channel works on. c-ares retains it until it has answered.
    final class AresRequest {
        let question: AresQuestion
        /// The channel, or nil if none could be created.
        let channel: AresChannel?
        private let core: AresCore

        init(_ question: AresQuestion, _ channel: AresChannel?, _ core: AresCore) {
            self.question = question
            self.channel = channel
            self.core = core
        }

        /// Receives an answer of c-ares. Safe: c-ares passes the argument of `ask` once, and the list belongs to this
        /// function.
        static let callback: ares_addrinfo_callback = { argument, status, timeouts, list in
            guard let argument = unsafe argument else { return }
            let request = unsafe Unmanaged<AresRequest>.fromOpaque(argument).takeRetainedValue()
            let answer = unsafe AresAnswer(status, timeouts, list, from: request.channel?.sockets.answering)
            unsafe ares_freeaddrinfo(list)
            request.channel?.answered()
            request.core.add(answer, of: request)
        }
    }
#endif
