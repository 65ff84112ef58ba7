# SPDX-License-Identifier: MIT
"""Clients of a forwarder that end their streams before they have sent a byte, and a target that answers them."""
import socket

from server import expect, serving


def target(answer):
    """The port of a server that sends its answer when a peer has ended its stream."""
    def handle(connection):
        while connection.recv(65536):
            pass
        connection.sendall(answer)

    return serving(handle)


def check(address, answer, timeout):
    """Peers that end their streams as soon as they have connected, without a byte, still get the target's answer."""
    for number in range(20):
        with socket.create_connection(address, timeout=timeout) as peer:
            peer.shutdown(socket.SHUT_WR)
            with peer.makefile("rb") as file:
                found = file.read()
        expect(found == answer, f"try {number}: the peer received {found!r}, not {answer!r}")
