# SPDX-License-Identifier: MIT
"""Clients of a forwarder that end their streams before they have sent a byte, and a target that answers them."""
import contextlib
import socket
import threading

from server import expect


@contextlib.contextmanager
def target(answer):
    """The port of a server that sends its answer when a peer has ended its stream."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        while connection.recv(65536):
                            pass
                        connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield str(listener.getsockname()[1])


def check(address, answer, timeout):
    """Peers that end their streams as soon as they have connected, without a byte, still get the target's answer."""
    for number in range(20):
        with socket.create_connection(address, timeout=timeout) as peer:
            peer.shutdown(socket.SHUT_WR)
            with peer.makefile("rb") as file:
                found = file.read()
        expect(found == answer, f"try {number}: the peer received {found!r}, not {answer!r}")
