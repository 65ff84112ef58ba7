// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
    import LoopTestSupport
    import ReactiveSupport
    import SchedulerConformance

    /// A nats-server that exited immediately after its start.
    struct NATSServerEnded: Error {
        let arguments: [String]
    }

    /// A nats-server with its own folder, on a port that the system chooses. It can be killed and started again. It runs
    /// until ``end()``.
    final class NATSServer: Sendable {
        private let folder: TestFolder
        private let arguments: [String]
        private let running = Box<Process?>(nil)
        private let chosenPort = Box(0)

        /// Starts a server and waits until it listens.
        init(_ arguments: String...) async throws {
            self.arguments = arguments
            folder = try TestFolder()
            do {
                try await start()
            } catch {
                end()
                throw error
            }
        }

        /// Kills the server, and removes its folder.
        func end() {
            kill()
            folder.remove()
        }

        var port: Int { chosenPort.value }

        var url: String { "nats://127.0.0.1:\(port)" }

        /// Starts the server and waits until it listens. A restarted server uses its previous port.
        func start() async throws {
            try run()
            // The server writes the file when it listens. It exits immediately if its previous port is in use.
            let attempts = Box(1)
            try await eventually("nats-server") { [self] in
                guard let process = running.value else { return false }
                if process.isRunning { return hasPort(process) }
                guard
                    attempts.update({
                        $0 += 1; return $0
                    }) <= 100
                else { throw NATSServerEnded(arguments: arguments) }
                Platform.pause(.milliseconds(100))
                try run()
                return false
            }
        }

        private func run() throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let port = port == 0 ? "-1" : "\(port)"
            let place = ["-a", "127.0.0.1", "-p", port, "--ports_file_dir", folder.url.path, "-sd", folder.url.path]
            process.arguments = ["nats-server"] + place + arguments
            process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"]
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            running.value = process
        }

        private func hasPort(_ process: Process) -> Bool {
            let file = folder.url.appendingPathComponent("nats-server_\(process.processIdentifier).ports")
            guard let text = try? String(contentsOf: file, encoding: .utf8),
                let address = text.range(of: #"(nats|tls)://[^"]*:\d+"#, options: .regularExpression),
                let port = text[address].split(separator: ":").last.flatMap({ Int($0) })
            else { return false }
            chosenPort.value = port
            return true
        }

        /// Stops the process of the server, which then neither reads nor answers.
        func stop() { signal(SIGSTOP) }

        /// Continues the process.
        func resume() { signal(SIGCONT) }

        private func signal(_ number: Int32) {
            if let process = running.value { Foundation.kill(process.processIdentifier, number) }
        }

        /// Kills the server with SIGKILL, and waits for its exit.
        func kill() {
            guard let process = running.update({ $0.take() }) else { return }
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
#endif
