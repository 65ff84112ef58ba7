# SPDX-License-Identifier: MIT
"""A peer that sends without reading: TCP stops it, the server's memory stays constant, and others are served."""
import os
import random
import socket
import threading
import time

from server import Failed, expect

STREAM = 200 * 1000 * 1000
BLOCK = os.urandom(16 * 1024 * 1024)
GROWTH_LIMIT = 8 * 1024 * 1024


def echo(connection, data):
    """Sends, and reads the same bytes back."""
    connection.sendall(data)
    back = bytearray()
    while len(back) < len(data):
        piece = connection.recv(65536)
        expect(piece, "the server ended another connection")
        back += piece
    expect(back == data, "another connection got wrong bytes")


class Stream:
    """The bytes of the long stream: the block, repeated."""

    @staticmethod
    def piece(position, size):
        start = position % len(BLOCK)
        return memoryview(BLOCK)[start:min(start + size, len(BLOCK))]

    @staticmethod
    def matches(position, data):
        while data:
            start = position % len(BLOCK)
            part = data[:len(BLOCK) - start]
            if not BLOCK.startswith(part, start):
                return False
            position += len(part)
            data = data[len(part):]
        return True


def send_until_stopped(connection):
    """Sends until no byte has been accepted for a second. Returns the number of bytes sent."""
    connection.setblocking(False)
    sent, last = 0, time.monotonic()
    while sent < STREAM and time.monotonic() - last < 1:
        try:
            sent += connection.send(Stream.piece(sent, min(65536, STREAM - sent)))
            last = time.monotonic()
        except BlockingIOError:
            time.sleep(0.002)
    connection.setblocking(True)
    connection.settimeout(30)
    return sent


def send_rest(connection, sent, failures):
    try:
        while sent < STREAM:
            piece = Stream.piece(sent, min(262144, STREAM - sent))
            connection.sendall(piece)
            sent += len(piece)
        connection.shutdown(socket.SHUT_WR)
    except OSError as error:
        failures.append(f"sending the rest: {error}")


def read_all(connection):
    received = 0
    while True:
        data = connection.recv(262144)
        if not data:
            break
        expect(Stream.matches(received, data), f"wrong bytes near {received}")
        received += len(data)
    expect(received == STREAM, f"{received} of {STREAM} bytes came back")


def check(server):
    """Runs the whole test. Returns a summary with the measured memory."""
    others = [socket.create_connection(server.address, timeout=10) for _ in range(20)]
    for other in others:
        echo(other, random.randbytes(100_000))
    before = server.memory()
    peak = [before]
    over = threading.Event()

    def watch():
        while not over.wait(0.02):
            peak[0] = max(peak[0], server.memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        stalled = socket.create_connection(server.address, timeout=10)
        sent = send_until_stopped(stalled)
        expect(sent < STREAM, "all of it was taken from a peer that reads nothing")
        start = server.processor_time()
        waits = []
        for _ in range(25):
            for other in others:
                began = time.monotonic()
                echo(other, random.randbytes(1000))
                waits.append(time.monotonic() - began)
            time.sleep(0.01)
        # A server that starves others does so in most rounds. A single slow round may be the machine.
        worst = sorted(waits)[-10]
        expect(worst < 1, f"other connections waited {worst:.2f} s")
        spent = server.processor_time() - start
        idle = server.processor_time()
        time.sleep(0.5)
        idle = server.processor_time() - idle
        expect(idle < 0.1, f"with all connections idle the server used {idle:.2f} s of processor time in 0.5 s")
        stalled_growth = server.memory() - before
        failures = []
        sender = threading.Thread(target=send_rest, args=(stalled, sent, failures))
        sender.start()
        read_all(stalled)
        sender.join()
        if failures:
            raise Failed(failures[0])
        stalled.close()
    finally:
        over.set()
        watcher.join()
    for other in others:
        echo(other, random.randbytes(1000))
        other.close()
    growth = peak[0] - before
    expect(growth < GROWTH_LIMIT, f"the server's memory grew by {growth / 1048576:.1f} MiB")
    return (
        f"stopped after {sent / 1e6:.1f} MB, memory +{stalled_growth / 1024:.0f} KiB stalled, "
        f"+{growth / 1024:.0f} KiB at most, others waited {worst * 1000:.1f} ms, all but the longest nine"
    )
