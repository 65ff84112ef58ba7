# SPDX-License-Identifier: MIT
"""The UDP echo server beside another echo service: a forged datagram does not go to and fro between them forever."""
import socket
import time

from server import Server, expect

# The number of datagrams that Examples/UdpEcho sends to one peer at once. After them, it sends one a second.
BURST = 10_000


def ends(loop):
    with Server("udp-echo", "--loop", loop, "--port", "0") as server:
        # This socket is the other echo service. Its first datagram is the forged one.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as service:
            service.connect(server.address)
            service.settimeout(5)
            began, rounds, datagram = time.monotonic(), 0, b"forged"
            try:
                while True:
                    service.send(datagram)
                    datagram = service.recv(100)
                    rounds += 1
                    limit = BURST + (time.monotonic() - began) + 1
                    expect(rounds <= limit, f"{rounds} datagrams have gone to and fro")
            except TimeoutError:
                pass
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.connect(server.address)
            client.settimeout(60)
            client.send(b"hello")
            found = client.recv(100)
            expect(found == b"hello", f"a client received {found!r}")
    return f"after {rounds} rounds"
