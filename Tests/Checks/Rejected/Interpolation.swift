// SPDX-License-Identifier: MIT
import ReactiveSockets

/// "Optional(5)" must not reach a peer.
func optional(_ length: Int?, _ path: String?) {
    let header: Bytes = "Content-Length: \(length)"  // rejected: value of optional type 'Int?' must be unwrapped
    let request = Bytes("GET \(path)\r\n")  // rejected: value of optional type 'String?' must be unwrapped
    _ = (header, request)
}
