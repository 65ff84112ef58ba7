// SPDX-License-Identifier: MIT
import ReactiveSockets
import ReactiveSupport

/// The state of one host's kernel and of its process. Only the holder of the network's lock uses it.
final class Host {
    let index: Int
    let name: String
    let routableFour: IPAddress
    let routableSix: IPAddress
    /// Whether the host answers packets. False after a crash, until it is restarted.
    var isUp = true
    /// The probability that a look-up of a name on this host fails, 0...1.
    var nameFailures = 0.0
    var descriptors: HostDescriptors
    var streamPorts = PortTable()
    var datagramPorts = PortTable()
    var tuples = TupleTable()
    /// The files of Unix sockets, by path. They survive a crash.
    var unixFiles: [String: UnixFile] = [:]
    var lastFileNumber: UInt64 = 0
    /// The folders in which a socket's file can be created. They survive a crash.
    var folders: Set<String> = ["", "/tmp", "/run", "/var/run", "/var/tmp", "/dev/shm"]
    /// The sockets with abstract names.
    var abstractNames: [SocketAddress: Weak<UnixSocket>] = [:]
    /// The event descriptors that listen to each process signal, in the order of their registration.
    var signalListeners: [Int32: [Int32]] = [:]

    init(_ index: Int, _ name: String, descriptorLimit: Int) {
        self.index = index
        self.name = name
        // 10.0.0.1 and fd00::1 belong to the first host.
        let number = UInt32(index + 1)
        routableFour = IPAddress(four: 0x0A00_0000 + number)
        routableSix = IPAddress(high: 0xFD00_0000_0000_0000, low: UInt64(number))
        descriptors = HostDescriptors(limit: descriptorLimit)
    }

    /// Whether the host has the address. It has all of 127.0.0.0/8.
    func has(_ address: IPAddress) -> Bool {
        address == routableFour || address == routableSix || address.isLoopback
    }

    /// The address from which a socket sends to `target`.
    func source(to target: IPAddress) -> IPAddress {
        if target.isLoopback { return target.loopback }
        if has(target) { return target }
        return target.isFour ? routableFour : routableSix
    }

    /// Whether the folder of a file exists. The folder of a relative path is the current one, which exists.
    func hasFolder(of path: String) -> Bool {
        path.lastIndex(of: "/").map { folders.contains(String(path[..<$0])) } ?? true
    }

    /// Forgets everything that a restart loses.
    func reset() {
        descriptors = HostDescriptors(limit: descriptors.limit)
        streamPorts = PortTable()
        datagramPorts = PortTable()
        tuples = TupleTable()
        abstractNames = [:]
        signalListeners.removeAll()
    }
}
