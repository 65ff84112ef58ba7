# SPDX-License-Identifier: MIT
"""The chat on three processes, one for each loop: every member receives every line once, even if a process is killed.

Then the limits on one client's memory: names and rooms have limits, a room is closed after its last member leaves, and a client that
requests the history again and again without reading costs no more than any other client.

    python3 Tests/Smoke/chat.py

Uses the programs of Examples/.build (CHAT_BINARY selects another one), and starts a nats-server with its own folder.
"""
import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Examples/Chat"))
import load  # noqa: E402

BINARY = os.environ.get("CHAT_BINARY", str(ROOT / "Examples/.build/release/chat"))
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()


def nats_server(folder):
    """Starts a server, and returns it with its address, which the server writes into a file when it listens."""
    server = subprocess.Popen(
        ["nats-server", "-js", "-a", "127.0.0.1", "-p", "-1", "-sd", folder, "--ports_file_dir", folder],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"})
    file = Path(folder) / f"nats-server_{server.pid}.ports"
    for _ in range(1200):
        if file.exists() and (url := re.search(r"nats://[^\"]*:\d+", file.read_text())):
            return server, url.group()
        time.sleep(0.05)
    raise SystemExit("nats-server does not listen")


def chat(loop, url):
    """Starts a process of the chat, and returns it with its address."""
    process = subprocess.Popen([BINARY, "--loop", loop, "--port", "0", "--nats", url], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        raise SystemExit(f"the chat on {loop} says: {line}")
    return process, line.split()[2].rstrip(",")


def who(address, room):
    """The members of a room, as one process reports them."""
    with socket.create_connection(address.rsplit(":", 1), timeout=60) as peer:
        peer.sendall(f"WHO {room}\n".encode())
        return peer.makefile().readline().split()[2:]


class Peer:
    """A connection to one process of the chat."""

    def __init__(self, address, buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(60)
        host, port = address.rsplit(":", 1)
        self.socket.connect((host, int(port)))
        self.stream = self.socket.makefile("rb")

    def send(self, *lines):
        self.socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def line(self):
        return self.stream.readline().decode().strip()

    def ask(self, *lines):
        """Sends lines, and reads one reply for each."""
        self.send(*lines)
        return [self.line() for _ in lines]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()


def consumers(url):
    """The number of consumers that the NATS server has for the chat's stream."""
    host, port = url.removeprefix("nats://").rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=60) as peer:
        stream = peer.makefile("rb")
        stream.readline()
        peer.sendall(b'CONNECT {"verbose":false}\r\nSUB here 1\r\nPUB $JS.API.STREAM.INFO.CHAT here 0\r\n\r\n')
        while not (line := stream.readline()).startswith(b"MSG"):
            if line.startswith(b"PING"):
                peer.sendall(b"PONG\r\n")
        return json.loads(stream.read(int(line.split()[-1])))["state"]["consumer_count"]


def comes(what, found, wanted):
    """Waits until `found()` returns the wanted value."""
    last = None
    for _ in range(600):
        if (last := found()) == wanted:
            return
        time.sleep(0.05)
    raise SystemExit(f"{what}: expected {wanted!r}, found {last!r}")


def refuses_names(address):
    with Peer(address) as peer:
        error = "ERROR a name has 1 to 64 letters, digits, - and _"
        lines = [f"JOIN {name}" for name in ["a.b", "*", ">", "a*", "ä", "a\tb", "x" * 65]]
        lines += ["WHO a.b", "RESUME > 1", "LEAVE *", "SAY a.b 1 x", "SAY lobby 1* x", "NAME a.b", f"SAY {'x' * 65} 1 x"]
        expect(peer.ask(*lines), [error] * len(lines))
        number = "ERROR not a line number"
        expect(peer.ask("RESUME a x", "RESUME a -1", f"RESUME a {2**63 - 1}", f"RESUME a {2**64}"), [number] * 4)
        peer.socket.sendall(b"SAY a 1 \xff\n")
        expect(peer.line(), "ERROR not UTF-8")
        expect(peer.ask(f"JOIN {'x' * 64}", f"LEAVE {'x' * 64}"), ["OK", "OK"])


def closes_rooms(address, url):
    with Peer(address) as peer:
        expect(peer.ask(*[f"JOIN room-{number}" for number in range(16)]), ["OK"] * 16)
        expect(peer.ask("JOIN one-more"), ["ERROR too many rooms: leave one of 16 first"])
        # One reader for each room, and one for its member, which has not caught up before the first line.
        expect(peer.ask("NAME closer"), ["OK"])
        comes("consumers of sixteen rooms", lambda: consumers(url), 32)
        expect(peer.ask("LEAVE room-0", "JOIN one-more", "JOIN one-more"), ["OK"] * 3)
        comes("consumers of sixteen other rooms", lambda: consumers(url), 32)
        # The first line brings the member up to date, and its reader ends.
        peer.send("SAY one-more 1 hello")
        expect({peer.line().split()[0] for _ in range(2)}, {"SAID", "MSG"})
        comes("consumers of a member who is up to date", lambda: consumers(url), 31)
        expect(peer.ask(*[f"LEAVE room-{number}" for number in range(1, 16)]), ["OK"] * 15)
        comes("consumers of one room", lambda: consumers(url), 1)
        expect(peer.ask(*[f"JOIN room-{number}" for number in range(15)]), ["OK"] * 15)
    # The client disconnects without LEAVE.
    comes("consumers without clients", lambda: consumers(url), 0)


def memory(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) << 10


LINES, LENGTH, RESUMES = 2000, 1500, 500


def fill(address):
    """Fills a room with a history of three megabytes."""
    with Peer(address) as peer:
        expect(peer.ask("NAME filler"), ["OK"])
        for begin in range(0, LINES, 100):
            replies = peer.ask(*[f"SAY big {number} {'x' * LENGTH}" for number in range(begin, begin + 100)])
            expect({reply.split()[0] for reply in replies}, {"SAID"})


def holds_little(loop, process, address):
    """A client requests everything hundreds of times without reading, and then reads."""
    with Peer(address) as peer:
        # The first replay, so that one-time allocations do not count.
        peer.send("RESUME big 0")
        for _ in range(LINES + 1):
            peer.line()
    before = peak = memory(process)
    with Peer(address, buffer=4096) as peer:
        peer.send(*["RESUME big 0"] * RESUMES)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            peak = max(peak, memory(process))
            time.sleep(0.01)
        expect(who(address, "lobby"), [])
        # The last request gets its complete reply, in order.
        answers, numbers = 0, []
        while answers < RESUMES or len(numbers) < LINES:
            words = peer.line().split(" ", 3)
            if words[0] == "OK":
                answers += 1
                numbers = []
            else:
                expect(words[0], "MSG")
                numbers.append(int(words[2]))
        expect(numbers, sorted(set(numbers)))
    grown = peak - before
    print(f"{loop}: {RESUMES} replays of {LINES * LENGTH >> 10} KiB without a reader took {grown >> 10} KiB", flush=True)
    if grown > 8 << 20:
        raise SystemExit(f"{loop}: {grown >> 20} MiB for one client that reads nothing")


def main():
    with tempfile.TemporaryDirectory() as folder:
        server, url = nats_server(folder)
        processes = []
        try:
            processes = [chat(loop, url) for loop in LOOPS]
            addresses = [address for _, address in processes]
            with Peer(addresses[0]) as peer:
                expect(peer.ask("NAME ann", "JOIN lobby", "NAME"), ["OK", "OK", "ERROR not a command"])
                # A process asks the others, and waits a fifth of a second for replies.
                found = []
                for _ in range(300):
                    if found := who(addresses[-1], "lobby"):
                        break
                expect(found, ["ann"])

            refuses_names(addresses[0])
            comes("consumers without clients", lambda: consumers(url), 0)
            closes_rooms(addresses[0], url)
            fill(addresses[0])
            for loop, (process, address) in zip(LOOPS, processes):
                holds_little(loop, process, address)

            def kill():
                processes[0][0].send_signal(signal.SIGKILL)
                print(f"killed the process on {LOOPS[0]}", flush=True)

            findings, resumed = asyncio.run(load.load(addresses, meanwhile=kill))
            expect(findings, [])
            expect(resumed >= 100, True)
            print("the chat: in order")
        finally:
            for process, _ in processes:
                process.kill()
            server.kill()
            server.wait()


def expect(found, wanted):
    if found != wanted:
        raise SystemExit(f"expected {wanted!r}, found {str(found)[:2000]}")


if __name__ == "__main__":
    main()
