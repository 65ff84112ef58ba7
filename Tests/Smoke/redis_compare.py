# SPDX-License-Identifier: MIT
"""Sends the same pipelines to the key-value server and to Debian's redis-server, and compares the replies byte for byte.

    python3 Tests/Smoke/redis_compare.py [--count 2000] [--seed 1] [--loop libuv] [--threads 2]

Every program has its own seed, which is printed if the replies differ; --seed N --count 1 repeats it. Times in replies are rounded,
and replies without a defined order are sorted. redis_differences.py lists the intended differences, which Docs/KeyValueServer.md
shows; any other difference fails. SMOKE_BINARIES is the folder of the server (Examples/.build/release).
"""
import argparse
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from redis_differences import DIFFERENCES
from redis_programs import encode, program
from report import check, totals
from server import Server, expect

REDIS = ["--port", "0", "--databases", "1", "--save", "", "--appendonly", "no", "--daemonize", "no"]


class Redis:
    """Debian's redis-server on a Unix socket."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "redis")
        command = ["redis-server", *REDIS, "--unixsocket", self.path, "--dir", self.folder.name]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not Path(self.path).exists():
            expect(self.process.poll() is None and time.monotonic() < end, "redis-server did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def connect(self):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(self.path)
        return peer


class Ours:
    def __init__(self, server):
        self.server = server

    def connect(self):
        return socket.create_connection(self.server.address)


class Talk:
    """The transcript of one connection."""

    def __init__(self, peer):
        self.peer = peer
        self.peer.settimeout(2)
        self.heard = b""
        self.is_open = True

    def send(self, parts):
        try:
            for part in parts:
                self.peer.sendall(part)
                if len(parts) > 1:
                    time.sleep(0.0005)
        except (ConnectionResetError, BrokenPipeError):
            pass

    def read(self, until=None):
        """Reads until the text arrives, or until the end of stream."""
        begin = len(self.heard)
        while self.is_open and (until is None or until not in self.heard[max(0, begin - len(until)):]):
            try:
                part = self.peer.recv(1 << 20)
            except ConnectionResetError:
                part = b""
            except TimeoutError:
                self.heard += b"no reply for two seconds"
                self.is_open = False
                return
            self.is_open = part != b""
            self.heard += part


def run(site, steps):
    """Returns the transcripts of all connections."""
    setup = Talk(site.connect())
    setup.send([encode([b"FLUSHALL"]) + encode([b"QUIT"])])
    setup.read()
    setup.peer.close()
    talks = {}
    for number, (connection, parts) in enumerate(steps):
        talk = talks.get(connection) or talks.setdefault(connection, Talk(site.connect()))
        if not talk.is_open:
            continue
        mark = b"mark%d" % number
        talk.send([*parts[:-1], parts[-1] + encode([b"PING", mark])])
        talk.read(mark)
    for talk in talks.values():
        if talk.is_open:
            talk.send([encode([b"QUIT"])])
            talk.read()
        talk.peer.close()
    return {number: talk.heard for number, talk in talks.items()}


def replies(heard):
    """The transcript as values. An incomplete reply at the end stays as it is."""
    position, found = 0, []

    def line():
        nonlocal position
        end = heard.index(b"\r\n", position)
        text = heard[position:end]
        position = end + 2
        return text

    def one():
        nonlocal position
        text = line()
        if text[:1] == b"$" and text != b"$-1":
            count = int(text[1:])
            value = heard[position:position + count]
            if len(value) < count or heard[position + count:position + count + 2] != b"\r\n":
                raise ValueError
            position += count + 2
            return b"$" + value
        if text[:1] == b"*" and text != b"*-1":
            return [one() for _ in range(int(text[1:]))]
        return text

    while position < len(heard):
        begin = position
        try:
            found.append(one())
        except ValueError:
            found.append(b"?" + heard[begin:])
            break
    return found


def group(reply):
    """Replies of one group may arrive in any order: Redis sends them in the order of a hash table."""
    if isinstance(reply, list) and len(reply) == 3 and reply[0] in (b"$unsubscribe", b"$punsubscribe"):
        return reply[0]
    if isinstance(reply, list) and len(reply) == 4 and reply[0] == b"$pmessage":
        return (reply[2], reply[3])
    return None


def in_order(found):
    """Sorts the replies of each group by the second word. The counts at the ends stay in place."""
    begin = 0
    while begin < len(found):
        end = begin + 1
        while end < len(found) and group(found[begin]) is not None and group(found[end]) == group(found[begin]):
            end += 1
        names = sorted(reply[1] for reply in found[begin:end]) if end > begin + 1 else []
        for place, name in enumerate(names, begin):
            found[place] = [found[place][0], name, *found[place][2:]]
        begin = end
    return found


def normal(heard, steps):
    """The transcript without permitted differences: times, addresses, ids, and orders that Redis does not promise."""
    sent = b"".join(part for _, parts in steps for part in parts).lower()
    result = []
    for reply in replies(heard):
        if isinstance(reply, bytes):
            reply = re.sub(rb"^\+\d+\.\d{6} \[0 \S+\]", b"+time [0 address]", reply)
            if b"pttl" in sent and re.fullmatch(rb":\d{4,}", reply):
                reply = b":%d" % (-(-int(reply[1:]) // 1000) * 1000)
        elif len(reply) == 14 and reply[0] == b"$server":
            reply[7] = b":id"
        elif b"keys" in sent and reply[:1] not in ([b"$message"], [b"$pmessage"]) and all(isinstance(part, bytes) and part[:1] == b"$" for part in reply):
            reply = sorted(reply)
        result.append(reply)
    return in_order(result)


def difference(ours, redis, steps):
    """Describes where the replies differ. Returns None if they do not."""
    mine, theirs = run(ours, steps), run(redis, steps)
    for connection in theirs:
        left, right = normal(mine[connection], steps), normal(theirs[connection], steps)
        if left == right:
            continue
        place = next((n for n, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
        sent = [parts for number, parts in steps if number == connection]
        return (
            f"connection {connection}, reply {place}:\n  ours  {str(left[place:place + 2])[:600]}\n"
            f"  redis {str(right[place:place + 2])[:600]}\n  sent  {str(sent)[-3000:]}"
        )
    return None


def compare(ours, redis, count, seed):
    found = []
    for number in range(seed, seed + count):
        steps = program(random.Random(number))
        # A slow machine may pass a full second between two replies, so only a difference that occurs again counts.
        if difference(ours, redis, steps) and (text := difference(ours, redis, steps)):
            found.append(f"seed {number}, {text}")
            if len(found) == 5:
                break
    expect(not found, f"{len(found)} programs get different replies:\n" + "\n".join(found))
    return f"{number - seed + 1} programs"


def meant(ours, redis):
    """The listed differences still exist as described."""
    for what in DIFFERENCES:
        for site, wanted in [(ours, what.ours), (redis, what.redis)]:
            # A machine that pauses for two seconds gives no reply in time.
            for _ in range(3):
                talk = Talk(site.connect())
                talk.send([what.sent + encode([b"QUIT"])])
                talk.read()
                talk.peer.close()
                if re.fullmatch(wanted, talk.heard, re.S):
                    break
            expect(re.fullmatch(wanted, talk.heard, re.S), f"{what.sent!r}: {talk.heard[:200]!r} is not {wanted!r}")
    return f"{len(DIFFERENCES)} differences"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loop", default="dispatch")
    parser.add_argument("--threads", default="1")
    options = parser.parse_args()
    arguments = ["--loop", options.loop, "--port", "0", "--threads", options.threads]
    with Redis() as redis, Server("key-value-server", *arguments) as server:
        name = f"{options.loop}, {options.threads} loops"
        check(f"{name}: the intended differences", lambda: meant(Ours(server), redis))
        check(f"{name}: replies compared with Redis", lambda: compare(Ours(server), redis, options.count, options.seed))
    return totals()


if __name__ == "__main__":
    sys.exit(main())
