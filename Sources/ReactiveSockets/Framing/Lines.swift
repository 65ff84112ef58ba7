// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

extension Signal where Value == Bytes, Failure == SocketError {
    /// Cuts the byte stream into lines of text: `connection.received.lines(limit: 4096)`.
    ///
    /// A line ends with `\n` or `\r\n`, which is not part of the value. Empty lines are sent too. At end of stream,
    /// remaining bytes are the last line. Pauses and threads are those of ``framed(by:limit:)``.
    ///
    /// The signal fails as ``framed(by:limit:)`` does: with `frameTooLong` for a longer line, and with the failure of
    /// the source. It also fails with `malformed` if a line is not valid UTF-8. To receive such lines, use
    /// `framed(by: .newline, limit: 4096)`, whose values are bytes; `String(bytes)` replaces invalid sequences.
    ///
    /// - Parameter limit: The maximum number of bytes of a line in UTF-8. A value below 0 counts as 0.
    /// - Returns: A cold signal of lines.
    public func lines(limit: Int = 64 * 1024) -> Signal<String, SocketError> {
        framed(by: .newline, limit: limit).attemptMap { (line: Bytes) throws(SocketError) -> String in
            guard let text = String(validating: line, as: UTF8.self) else {
                throw SocketError(.malformed, "cannot decode a line of \(line.count) bytes: it is not valid UTF-8")
            }
            return text
        }
    }
}

extension Connection {
    /// The lines that the peer sends, as text of at most 64 KiB each: `received.lines()`.
    ///
    /// It subscribes to ``received``, which allows only one subscriber. The signal fails with `frameTooLong` for a
    /// longer line, with `malformed` if a line is not valid UTF-8, and as ``received`` does. For another limit use
    /// `received.lines(limit:)`.
    public var lines: Signal<String, SocketError> { received.lines() }

    /// Sends a line: the text and a `\n`. Order, limits and failures are those of ``send(_:)``.
    ///
    /// - Parameter line: The text. It must be one line that the peer receives unchanged. If it contains `\n` or ends with
    ///   `\r`, nothing is sent, and the result fails with `malformed`. The connection stays open.
    /// - Returns: A signal that completes when the kernel has accepted the line and all earlier bytes. It may be ignored:
    ///   a `malformed` that nothing receives is reported as an `UnhandledFailure`.
    @discardableResult
    public func send(line: String) -> Signal<Never, SocketError> {
        do throws(SocketError) {
            return send(try Self.encode(line))
        } catch {
            let failure = UnobservedFailure(error, of: "Connection.send(line:)")
            return Signal { [loop] emitter, _ in
                let error = failure.observe()
                if loop.isDisposed { emitter.fail(error) } else { loop.runOrExecute { emitter.fail(error) } }
            }
        }
    }

    /// Sends all lines of `source`, each with a `\n`, then ends the stream. Back-pressure is that of ``send(from:)``.
    ///
    /// If `source` fails, or sends a line that contains `\n` or ends with `\r`, the connection is reset. The result then
    /// fails with that error, with `malformed`, or with `sourceFailed` if the error is no `SocketError`.
    ///
    /// - Parameter source: The lines to send. The subscription to it is disposed when sending ends.
    /// - Returns: A signal that completes when the kernel has accepted all lines. It fails as the result of
    ///   ``send(from:)`` does.
    @discardableResult
    public func send<Failure: Error>(lines source: Signal<String, Failure>) -> Signal<Never, SocketError> {
        let peer = core.value.peer
        let lines = source.mapError { failure in
            failure as? SocketError
                ?? SocketError(.sourceFailed, "cannot send to \(peer): the source failed: \(failure)")
        }
        return send(from: lines.attemptMap { (line: String) throws(SocketError) in try Self.encode(line) })
    }

    private static func encode(_ line: String) throws(SocketError) -> Bytes {
        let bytes: Bytes = "\(line)\n"
        let text = bytes.dropLast()
        if text.contains(UInt8(ascii: "\n")) || text.last == UInt8(ascii: "\r") {
            throw SocketError(
                .malformed,
                "cannot send a line of \(text.count) bytes: it contains a line feed, or ends with a carriage return"
            )
        }
        return bytes
    }
}
