# SPDX-License-Identifier: MIT
"""A server out of descriptors does not spin, serves its connections, and accepts the others later (rule N5)."""
import random
import socket
import time

from server import Server, expect
from stalling import echo

LIMIT = 40


def check(loop):
    arguments = ["--loop", loop, "--port", "0", "--quiet"]
    with Server("echo-server", *arguments, descriptor_limit=LIMIT) as server:
        with socket.create_connection(server.address, timeout=10) as first:
            echo(first, b"first")
            # Descriptors that are opened at the first use are open now. One of them is the peer's.
            own = server.descriptors() - 1
        server.settles_at(own)
        peers = [socket.create_connection(server.address, timeout=10) for _ in range(2 * LIMIT)]
        served, waiting = peers[:LIMIT - own], peers[LIMIT - own:]
        for peer in served:
            echo(peer, random.randbytes(1000))
        for peer in waiting:
            peer.sendall(b"waiting")
        before = server.processor_time()
        time.sleep(1)
        spent = server.processor_time() - before
        expect(spent <= 0.05, f"out of descriptors it used {spent:.2f} s of processor time in a second")
        expect(server.descriptors() == LIMIT, f"it holds {server.descriptors()} descriptors of {LIMIT}")
        for peer in served:
            echo(peer, random.randbytes(1000))
        while waiting:
            for peer in served:
                peer.close()
            served, waiting = waiting[:LIMIT - own], waiting[LIMIT - own:]
            for peer in served:
                back = b""
                while len(back) < len(b"waiting"):
                    back += peer.recv(100)
                expect(back == b"waiting", f"a peer that had to wait got {back}")
        for peer in served:
            peer.close()
        server.settles_at(own)
        return f"{2 * LIMIT} peers with {LIMIT - own} descriptors, {spent * 100:.0f} % of a processor while out of descriptors"
