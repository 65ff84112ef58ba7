// SPDX-License-Identifier: MIT
import Testing

@testable import ReactiveSockets

@Suite struct AddressRangeTests {
    @Test(
        "A range contains exactly the addresses with its prefix",
        arguments: [
            ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["11.0.0.0", "9.255.255.255", "a00::"]),
            ("192.168.1.128/25", ["192.168.1.128", "192.168.1.255"], ["192.168.1.127", "192.168.2.128"]),
            ("192.0.2.1", ["192.0.2.1", "::ffff:192.0.2.1"], ["192.0.2.0"]),
            ("0.0.0.0/0", ["1.2.3.4", "::ffff:1.2.3.4"], ["::1", "::"]),
            ("::/0", ["::1", "2001:db8::1"], ["1.2.3.4", "::ffff:1.2.3.4"]),
            ("fd00::/8", ["fdff::1"], ["fc00::1", "fe00::"]),
            ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::"]),
            ("::1", ["::1"], ["::2", "0.0.0.1"]),
            ("::ffff:10.0.0.0/104", ["10.1.2.3", "::ffff:10.1.2.3"], ["11.0.0.0"]),
        ] as [(String, [String], [String])]
    )
    func containing(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let range = try AddressRange(text)
        for (hosts, isInside) in [(inside, true), (outside, false)] {
            for host in hosts {
                let address = try SocketAddress(host: host, port: 80)
                #expect(range.contains(address) == isInside, "\(host)")
            }
        }
        let file = try SocketAddress.unix(path: "/run/socket")
        #expect(!range.contains(file))
        #expect(try AddressRange(range.description) == range)
    }

    @Test("Unix sockets are a range of their own")
    func unix() throws {
        let range = try AddressRange("unix")
        let file = try SocketAddress.unix(path: "/run/socket")
        #expect(range == .unix && range.contains(file))
        #expect(range.contains(SocketAddress(family: .unix, bytes: [])) && !range.contains(.loopback(port: 1)))
    }

    @Test("The loopback ranges contain the loopback addresses")
    func loopback() throws {
        for host in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            let address = try SocketAddress(host: host, port: 0)
            #expect(AddressRange.loopback.contains { $0.contains(address) })
        }
    }

    @Test(
        "A text that is no range is refused",
        arguments: [
            "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "::1/64", "::/129",
            "host/8",
            "fe80::1%1/64", "10.0.0.0/+8", "Unix", " 10.0.0.0/8", "::ffff:10.0.0.0/95",
        ]
    )
    func malformed(_ text: String) {
        let error = #expect(throws: SocketError.self) { _ = try AddressRange(text) }
        #expect(error?.code == .invalidAddress)
    }
}
