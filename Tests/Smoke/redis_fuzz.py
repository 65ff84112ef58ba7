# SPDX-License-Identifier: MIT
"""Sends thousands of spoiled requests to a running server, which must keep serving without growing."""
import random
import socket

from report import run
from server import expect

INPUTS = 6000


def spoiled(seeded):
    request = b""
    for _ in range(seeded.randint(1, 3)):
        words = [seeded.choice([b"GET", b"SET", b"PING", b"MGET", b"SUBSCRIBE", b"EXPIRE", b"INCR", b"CLIENT", b"HELLO"])]
        words += [seeded.randbytes(seeded.randint(0, 12)) for _ in range(seeded.randint(0, 4))]
        request += b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
    request = bytearray(request)
    for _ in range(seeded.randint(0, 4)):
        place = seeded.randrange(len(request))
        change = seeded.randrange(4)
        if change == 0:
            request[place] = seeded.randrange(256)
        elif change == 1:
            request[place:place] = bytes([seeded.choice(b"*$\r\n -0123456789\"'")])
        elif change == 2 and len(request) > 1:
            del request[place]
        else:
            request[place] = seeded.choice(b"*$\r\n -0123456789\"'")
    return bytes(request)


def check(server):
    seeded = random.Random(3)
    descriptors = server.descriptors()
    grown = 0
    for half in range(2):
        before = server.memory()
        for number in range(INPUTS // 2):
            with socket.create_connection(server.address, timeout=10) as peer:
                data = spoiled(seeded)
                if number % 3 == 0:  # in two chunks
                    peer.sendall(data[:len(data) // 2])
                    data = data[len(data) // 2:]
                try:
                    peer.sendall(data)
                    if number % 5 != 0:  # else reset with everything unread
                        peer.shutdown(socket.SHUT_WR)
                        while peer.recv(65536):
                            pass
                except (ConnectionResetError, BrokenPipeError):
                    pass
        grown = server.memory() - before
        run("redis-cli", "-p", str(server.port), "flushall")
    server.settles_at(descriptors)
    # The first half fills the server's caches, and the second half must not grow them.
    expect(grown < 2 * 1024 ** 2, f"the server has grown by {grown} bytes")
    expect(run("redis-cli", "-p", str(server.port), "ping") == b"PONG\n", "no PONG")
    return f"{INPUTS} inputs"
