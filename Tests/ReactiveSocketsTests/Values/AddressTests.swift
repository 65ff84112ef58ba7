// SPDX-License-Identifier: MIT
import SchedulerConformance
import Testing

@testable import ReactiveSockets

@Suite struct AddressTests {
    @Test(
        "An address is parsed from a host and a port, and printed",
        arguments: [
            ("127.0.0.1", 80, "127.0.0.1:80"), ("0.0.0.0", 0, "0.0.0.0:0"),
            ("255.255.255.255", 65535, "255.255.255.255:65535"),
            ("::1", 7000, "[::1]:7000"), ("[::1]", 7000, "[::1]:7000"), ("::", 0, "[::]:0"),
            ("2001:DB8:0:0::1", 1, "[2001:db8::1]:1"), ("::ffff:10.0.0.1", 2, "[::ffff:10.0.0.1]:2"),
            ("fe80::1%1", 3, "[fe80::1%1]:3"), ("[fe80::1%1]", 3, "[fe80::1%1]:3"),
        ]
    )
    func text(_ host: String, _ port: Int, _ expected: String) throws {
        let address = try SocketAddress(host: host, port: port)
        #expect(address.description == expected)
        #expect(Int(address.port) == port)
        #expect(try SocketAddress(host: address.host, port: port) == address)
    }

    @Test("A scope may be an interface's name or number")
    func scope() throws {
        #expect(try SocketAddress(host: "fe80::1%lo", port: 0).scope == 1)
        #expect(try SocketAddress(host: "fe80::1%1", port: 0) == SocketAddress(host: "fe80::1%lo", port: 0))
        #expect(try SocketAddress(host: "fe80::1", port: 0).scope == 0)
    }

    @Test(
        "An invalid host is refused with an error that says what is allowed",
        arguments: [
            "", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4x", " 127.0.0.1", ":::1", "[::1", "::1]",
            "[127.0.0.1]",
            "12345::1", "fe80::1%", "fe80::1%0", "fe80::1%nosuchinterface", "127.0.0.1\0.example", "[]",
        ]
    )
    func badHost(_ host: String) {
        let error = #expect(throws: SocketError.self) { try SocketAddress(host: host, port: 1) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.message.contains("127.0.0.1") == true && error?.message.contains("::1") == true)
    }

    @Test("An invalid port is refused", arguments: [-1, 65536, Int.max, Int.min])
    func badPort(_ port: Int) {
        let error = #expect(throws: SocketError.self) { try SocketAddress(host: "::1", port: port) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.message == "port \(port) is not allowed: a port is a number from 0 to 65535")
    }

    @Test("An address is converted to the system's form and back", arguments: ["10.1.2.3", "::1", "fe80::1:2%1"])
    func systemForm(_ host: String) throws {
        let address = try SocketAddress(host: host, port: 4660)
        let back = address.withSockaddr { pointer, length in
            SocketAddress { copy, room in
                precondition(length <= room)
                copy.withMemoryRebound(to: UInt8.self, capacity: Int(length)) { copy in
                    pointer.withMemoryRebound(to: UInt8.self, capacity: Int(length)) { original in
                        copy.update(from: original, count: Int(length))
                    }
                }
                return 0
            }
        }
        #expect(back == address)
    }

    @Test("Watermarks are clamped so that low is below high")
    func watermarks() {
        #expect(Watermarks() == Watermarks(high: 65536, low: 16384))
        #expect(Watermarks(high: 100) == Watermarks(high: 100, low: 25))
        #expect(Watermarks(high: 0, low: -3) == Watermarks(high: 1, low: 0))
        #expect(Watermarks(high: 10, low: 10).low == 9)
    }
}
