# SPDX-License-Identifier: MIT
"""Peers that reset, half-close, flood, stall or are killed lose their own connection, and nothing else happens."""
import os
import random
import signal
import socket
import struct
import time

from server import expect
from stalling import echo


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def fill(connection, seconds=0.2):
    """Sends without reading until the send buffers are full."""
    connection.setblocking(False)
    data = bytes(65536)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            connection.send(data)
        except BlockingIOError:
            time.sleep(0.005)


def killed(server):
    """Kills a client process that has unread bytes in flight."""
    child = os.fork()
    if child == 0:
        fill(socket.create_connection(server.address))
        signal.pause()
        os._exit(0)
    time.sleep(0.4)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def check(server):
    good = [socket.create_connection(server.address, timeout=10) for _ in range(4)]

    def all_is_well():
        for connection in good:
            echo(connection, random.randbytes(50_000))

    all_is_well()
    base = server.descriptors()

    for count in range(100):  # resets: before the first byte, and with unread bytes on either side
        peer = socket.create_connection(server.address, timeout=10)
        if count % 2:
            peer.sendall(bytes(count * 1000))
        reset(peer)
    all_is_well()

    for count in range(100):  # half-closes: everything arrives, then the end of stream
        peer = socket.create_connection(server.address, timeout=10)
        data = random.randbytes(count * 700)
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
        back = bytearray()
        while piece := peer.recv(65536):
            back += piece
        expect(back == data, f"after a half-close {len(back)} of {len(data)} bytes came back")
        peer.close()
    all_is_well()

    flooder = socket.create_connection(server.address, timeout=10)
    fill(flooder)
    all_is_well()
    reset(flooder)

    stalled = [socket.create_connection(server.address, timeout=10) for _ in range(10)]
    for peer in stalled:
        fill(peer, 0.1)
    all_is_well()
    for peer in stalled[:5]:
        peer.close()  # with unread bytes: a reset, too
    for peer in stalled[5:]:
        peer.shutdown(socket.SHUT_WR)
    all_is_well()
    for peer in stalled[5:]:
        reset(peer)

    killed(server)
    all_is_well()
    server.settles_at(base)
    for connection in good:
        connection.close()
    server.settles_at(base - len(good))
    return f"{base - len(good)} descriptors before and after"
