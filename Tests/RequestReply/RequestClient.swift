// SPDX-License-Identifier: MIT
import ReactiveCore
package import ReactiveSignals
package import ReactiveSockets
import Synchronization

/// The reason why a request has no reply.
package enum RequestError: Error, Equatable {
    /// The service has refused the request.
    case refused(String)
    /// The payload is too long, or too many requests are under way.
    case notSent(String)
    /// The connection or its loop has ended.
    case ended(String)
}

/// The client's end of a connection. Any thread may use it. Releasing it closes the connection.
package final class RequestClient: Sendable {
    private let connection: Connection
    private let calls: Calls
    private let disposal: any Disposable

    /// - Parameter limit: The maximum number of requests under way.
    package init(_ connection: Connection, limit: Int = 256) {
        let calls = Calls(limit: limit)
        (self.connection, self.calls) = (connection, calls)
        // A disposed loop ends no signal, so whoever waits for a reply would wait forever.
        disposal = connection.loop.onDispose { calls.end(.ended("the loop has been disposed")) }
        connection.messages.subscribe(
            onValue: { message in
                // A violation ends the signal of the messages, too.
                if !calls.receive(message) { connection.abort() }
            },
            onTermination: { termination in
                switch termination {
                case .completed: calls.end(.ended("the server has closed the connection"))
                case .failed(let error): calls.end(.ended("\(error)"))
                }
                connection.close()
            }
        )
    }

    deinit {
        disposal.dispose()
        connection.close()
        // The close may be a job that a disposed loop drops.
        calls.end(.ended("the client has been released"))
    }

    /// Sends a request at each subscription. The signal sends the reply and completes.
    package func request(_ payload: Bytes) -> Signal<Bytes, RequestError> {
        Signal { [connection, calls] emitter, subscription in
            do throws(RequestError) {
                // Otherwise requests that time out would leave their bytes in the queue of the connection.
                guard connection.isWritable.value else { throw .notSent("the server does not read") }
                let number = try calls.begin(emitter)
                // If the subscriber leaves, its reply is ignored.
                subscription.onDispose { calls.forget(number) }
                do throws(SocketError) {
                    connection.send(try Message(.request, number, payload).encoded())
                } catch {
                    throw .notSent(error.message)
                }
            } catch {
                emitter.fail(error)
            }
        }
    }
}

/// The requests under way. No user code runs under the lock.
private final class Calls: Sendable {
    private struct State {
        var emitters: [UInt32: Emitter<Bytes, RequestError>] = [:]
        var last: UInt32 = 0
        var end: RequestError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Assigns a number to a request.
    func begin(_ emitter: Emitter<Bytes, RequestError>) throws(RequestError) -> UInt32 {
        let limit = limit
        let begun = state.withLock { state -> Result<UInt32, RequestError> in
            if let end = state.end { return .failure(end) }
            if state.emitters.count >= limit { return .failure(.notSent("\(limit) requests are under way")) }
            repeat { state.last &+= 1 } while state.emitters[state.last] != nil
            state.emitters[state.last] = emitter
            return .success(state.last)
        }
        return try begun.get()
    }

    func forget(_ number: UInt32) { _ = state.withLock { state in state.emitters.removeValue(forKey: number) } }

    /// Returns false if the server violates the protocol.
    func receive(_ message: Message) -> Bool {
        if message.kind == .request { return false }
        guard let emitter = state.withLock({ $0.emitters.removeValue(forKey: message.number) }) else {
            // A reply to a request whose subscriber has left.
            return true
        }
        if message.kind == .refusal {
            emitter.fail(.refused(String(decoding: message.payload, as: UTF8.self)))
        } else {
            emitter.send(message.payload)
            emitter.complete()
        }
        return true
    }

    /// Fails all requests, in the order in which they began, and later ones.
    func end(_ error: RequestError) {
        let emitters = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { state.emitters = [:] }
            return state.emitters.sorted { $0.key < $1.key }.map(\.value)
        }
        for emitter in emitters { emitter.fail(error) }
    }
}
