// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

extension HostKernel {
    /// Looks up a name. The answer takes the time of a round trip.
    func resolve(
        _ host: String,
        port: UInt16,
        _ answer: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void
    ) -> any Disposable {
        let delay: Int64 = network.withKernel { kernel in
            let latency = kernel.links.standard.latencyInNanoseconds
            return kernel.random.duration(latency) + kernel.random.duration(latency)
        }
        let (network, index) = (network, index)
        return network.schedule(at: network.now.advanced(byNanoseconds: delay)) {
            answer(network.withKernel { kernel in kernel.answer(host, port: port, on: index) })
        }
    }

    /// Sets the probability that a look-up fails.
    func setNameFailures(probability: Double) { withHost { _, host in host.nameFailures = probability } }
}

extension Kernel {
    /// The answer for a name.
    fileprivate mutating func answer(
        _ name: String,
        port: UInt16,
        on host: Int
    ) -> Result<[SocketAddress], SocketError> {
        if name == "localhost" {
            return .success([
                Endpoint(.loopbackSix, port).socketAddress(.ipv6), Endpoint(.loopbackFour, port).socketAddress(.ipv4),
            ])
        }
        if random.happens(hosts[host].nameFailures) {
            record(.fault, host, "cannot resolve \(name)")
            return .failure(SocketError(.unknownHost, "cannot resolve host \"\(name)\": a simulated fault"))
        }
        guard let addresses = names[name] else {
            let message = "cannot resolve host \"\(name)\": the simulated network has no host of this name"
            return .failure(SocketError(.unknownHost, message))
        }
        return .success(addresses.map { Endpoint(IPAddress($0), port).socketAddress($0.family) })
    }
}
