# SPDX-License-Identifier: MIT
"""Checks the key-value server with Python's redis client, a third party's. Runs in an environment that has it installed.

    python redis_library.py PORT PID CHECK

Prints the failure and exits with 1 if the check fails.
"""
import os
import random
import socket
import sys
import threading
import time

import redis

PORT, PID, CHECK = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def expect(condition, text):
    if not condition:
        sys.exit(f"{CHECK}: {text}")


def connect(**options):
    return redis.Redis(port=PORT, protocol=2, socket_timeout=60, **options)


def memory():
    with open(f"/proc/{PID}/status") as status:
        return int(status.read().split("RssAnon:")[1].split()[0]) * 1024


def random_keys():
    """Four connections set and get 100 000 random binary keys."""
    seeded = random.Random(1)
    pairs = {}
    while len(pairs) < 100_000:
        pairs[seeded.randbytes(seeded.randint(1, 40))] = seeded.randbytes(seeded.randint(0, 200))
    items = list(pairs.items())
    clients = [connect() for _ in range(4)]
    clients[0].flushall()
    for start in range(0, len(items), 1000):
        with clients[start // 1000 % 4].pipeline(transaction=False) as pipeline:
            for key, value in items[start:start + 1000]:
                pipeline.set(key, value)
            expect(all(pipeline.execute()), "a SET was refused")
    expect(clients[0].dbsize() == len(items), f"{clients[0].dbsize()} keys")
    for start in range(0, len(items), 1000):
        part = items[start:start + 1000]
        with clients[start // 1000 % 4].pipeline(transaction=False) as pipeline:
            for key, _ in part:
                pipeline.get(key)
            for (key, value), got in zip(part, pipeline.execute()):
                expect(got == value, f"{key!r} has {got!r}, not {value!r}")
    # Also one request at a time.
    for key, value in seeded.sample(items, 2000):
        expect(clients[1].get(key) == value, f"{key!r}")
    expect(set(clients[2].keys("*")) == set(pairs), "KEYS")
    clients[3].flushall()
    expect(clients[0].dbsize() == 0, "FLUSHALL left keys")


def pipelines():
    """10 000 pipelined requests get their replies in order, and large values do too."""
    client = connect()
    for _ in range(3):
        client.delete("n")
        with client.pipeline(transaction=False) as pipeline:
            for _ in range(10_000):
                pipeline.incr("n")
            expect(pipeline.execute() == list(range(1, 10_001)), "replies out of order")
    large = os.urandom(3_000_000)
    client.set("large", large)
    before = memory()
    with client.pipeline(transaction=False) as pipeline:
        for number in range(40):
            pipeline.get("large")
            pipeline.echo(str(number))
        replies = pipeline.execute()
    expect(all(reply == large for reply in replies[::2]), "a large value came back changed")
    expect(replies[1::2] == [str(number).encode() for number in range(40)], "replies out of order")
    grown = memory() - before
    expect(grown < 16 * 1024 ** 2, f"the server has grown by {grown} bytes for 120 MB of replies")
    client.mset({f"key{number}": number for number in range(1000)})
    expect(client.mget([f"key{number}" for number in range(1000)]) == [str(n).encode() for n in range(1000)], "MSET, MGET")


def fan_out():
    """100 subscribers, one of which never reads: the others lose nothing, and the server's memory stays within its bound."""
    seeded = random.Random(2)
    messages = [b"%d " % number + seeded.randbytes(10_000) for number in range(4000)]
    ready, got, failures = threading.Barrier(100), [0] * 99, []

    def subscriber(index):
        pubsub = connect().pubsub()
        pubsub.subscribe("news") if index % 2 else pubsub.psubscribe("n*")
        expect(pubsub.get_message(timeout=60)["data"] == 1, "no confirmation")
        ready.wait()
        for number, message in enumerate(messages):
            while (received := pubsub.get_message(timeout=60)) is None:
                pass
            if received["data"] != message:
                failures.append(f"subscriber {index} lost message {number}")
                return
            got[index] += 1
        pubsub.close()

    # A small receive buffer, so that the server must store the unread messages.
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", PORT))
    deaf.sendall(b"SUBSCRIBE news\r\n")
    expect(deaf.recv(100).endswith(b":1\r\n"), "no confirmation")
    threads = [threading.Thread(target=subscriber, args=(index,)) for index in range(99)]
    for thread in threads:
        thread.start()
    ready.wait()
    before = memory()
    publisher = connect()
    peak = before
    for number in range(0, len(messages), 20):
        with publisher.pipeline(transaction=False) as pipeline:
            for message in messages[number:number + 20]:
                pipeline.publish("news", message)
            counts = pipeline.execute()
        expect(counts == [100] * 20, f"{counts} receivers")
        peak = max(peak, memory())
        # The 99 threads share one interpreter. Only the intended subscriber may be slow.
        while min(got) < number - 200 and not failures:
            time.sleep(0.01)
    for thread in threads:
        thread.join(900)
    expect(not failures and got == [len(messages)] * 99, f"{failures[:3]} {sorted(got)[:5]}")
    # 1024 messages of 10 KB wait for the slow one, and as many may be in flight. Without a bound it would be 40 MB.
    bound = 22 * 1024 ** 2
    expect(peak - before < bound, f"the server has grown by {peak - before} bytes")
    print(f"grew by {(peak - before) >> 10} KiB", end="")


def expiry():
    """Keys expire without a request, and not early."""
    client = connect()
    client.flushall()
    began = time.monotonic()
    client.set("soon", "x", px=2000)
    client.set("later", "x", ex=100)
    client.set("kept", "x", ex=60)
    client.persist("kept")
    expect(client.pttl("soon") <= 2000 and 90_000 < client.pttl("later") <= 100_000, "PTTL")
    expect(90 <= client.ttl("later") <= 100 and client.ttl("kept") == -1, "TTL")
    while client.get("soon") is not None:
        expect(time.monotonic() - began < 60, "a key does not go")
    expect(time.monotonic() - began >= 2, "a key went too early")
    with client.pipeline(transaction=False) as pipeline:
        for number in range(10_000):
            pipeline.set(f"many{number}", "x", px=200)
        pipeline.execute()
    end = time.monotonic() + 60
    # Without requests for these keys: timers remove them.
    while client.dbsize() > 2:
        expect(time.monotonic() < end, f"{client.dbsize()} keys are left")
        time.sleep(0.05)


def frames():
    """A request over the limit ends its own connection only."""
    other = connect()
    client = connect()
    client.set("fits", b"x" * 900_000)
    try:
        client.set("large", b"x" * 2_000_000)
        expect(False, "a request over the limit was taken")
    except (redis.ResponseError, redis.ConnectionError) as error:
        expect(isinstance(error, redis.ConnectionError) or "invalid bulk length" in str(error), repr(error))
    expect(other.get("fits") == b"x" * 900_000 and other.exists("large") == 0, "the other connection")


{check.__name__: check for check in [random_keys, pipelines, fan_out, expiry, frames]}[CHECK]()
