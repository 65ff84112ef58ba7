// SPDX-License-Identifier: MIT
#if CAres
    import CCares
    import Glibc
    import ReactiveCore
    import ReactiveSockets

    /// The channel that asks the next question, and older ones whose questions have not been answered.
    ///
    /// c-ares cannot change the servers of a channel with open questions. So a channel is replaced when the
    /// configuration has changed, or when another server has proved better.
    struct AresChannels {
        /// A channel uses one source port per server. A new port after this number of questions makes it harder to
        /// guess where a forged answer must be sent (RFC 5452).
        private static let questionsPerChannel = 256

        private let settings: AresSettings
        private var newest: AresChannel?
        private var retired: [AresChannel] = []
        /// The server that has answered in place of the first one.
        private var preferred: SocketAddress?
        private var configuration: ConfigurationStamp?

        init(_ settings: AresSettings) {
            self.settings = settings
            configuration = ConfigurationStamp(settings.configurationFile)
        }

        /// Retires the channel if the configuration has changed, and returns whether it has.
        mutating func noticeChange() -> Bool {
            let stamp = ConfigurationStamp(settings.configurationFile)
            if stamp == configuration { return false }
            configuration = stamp
            preferred = nil
            retire()
            return true
        }

        /// The channel for the next question.
        mutating func current(_ core: AresCore) throws(AresStatus) -> AresChannel {
            if let newest {
                if newest.askedCount < Self.questionsPerChannel { return newest }
                retire()
            }
            // c-ares would fall back to other servers if it could not open the file.
            try ConfigurationStamp.checkAccess(settings.configurationFile)
            let channel = try AresChannel(core, preferring: preferred)
            newest = channel
            return channel
        }

        /// Records an answer of `channel`.
        mutating func answered(_ channel: AresChannel, _ answer: AresAnswer) {
            if channel === newest, answer.hasTimedOut, let server = answer.server, channel.asksInOrder,
                channel.servers.first != server, channel.servers.contains(server)
            {
                preferred = server
                retire()
            }
            if channel !== newest, channel.openCount == 0 { destroy(channel) }
        }

        private mutating func retire() {
            guard let channel = newest.take() else { return }
            if channel.openCount == 0 { channel.destroy() } else { retired.append(channel) }
        }

        /// Destroys a channel. c-ares then answers its open questions.
        mutating func destroy(_ channel: AresChannel) {
            if newest === channel { newest = nil }
            retired.removeAll { $0 === channel }
            channel.destroy()
        }

        mutating func destroyAll() {
            let all = retired + (newest.map { [$0] } ?? [])
            retired = []
            newest = nil
            for channel in all { channel.destroy() }
        }
    }

    /// The identity of a version of the configuration file.
    struct ConfigurationStamp: Equatable {
        private let device: dev_t
        private let number: ino_t
        private let size: off_t
        private let seconds: Int
        private let nanoseconds: Int

        /// Creates the stamp of a file, or nil if there is no such file. Safe: the system writes to a local variable.
        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            (device, number, size) = (status.st_dev, status.st_ino, status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }

        /// Checks that a descriptor for the file is available.
        static func checkAccess(_ path: String) throws(AresStatus) {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 {
                close(descriptor)
            } else if SocketError.isExhaustion(errno) {
                throw AresStatus(errno: errno)
            }
        }
    }
#endif
