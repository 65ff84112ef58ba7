// SPDX-License-Identifier: MIT
public import ArgumentParser
public import ReactiveSockets

/// The option of a server behind a proxy: `--accept-proxy`.
public struct ProxyOptions: ParsableArguments {
    @Option(
        name: .customLong("accept-proxy"),
        help: ArgumentHelp(
            """
            A proxy that names its clients with the PROXY protocol, such as 10.0.0.0/8, ::1 or unix. Repeatable. With \
            it, all other peers are rejected.
            """,
            valueName: "range"
        )
    )
    var ranges: [String] = []

    public init() {}

    public func validate() throws {
        do throws(SocketError) {
            _ = try parsed
        } catch {
            throw ValidationError("--accept-proxy: \(error.message)")
        }
    }

    /// The argument `proxies` of a server. `nil` without `--accept-proxy`.
    public var proxies: TrustedProxies? {
        // `validate()` has parsed the ranges.
        guard let ranges = try? parsed, !ranges.isEmpty else { return nil }
        return TrustedProxies(ranges)
    }

    private var parsed: [AddressRange] {
        get throws(SocketError) {
            var parsed: [AddressRange] = []
            for text in ranges { parsed.append(try AddressRange(text)) }
            return parsed
        }
    }
}
