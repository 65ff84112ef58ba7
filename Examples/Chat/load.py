# SPDX-License-Identifier: MIT
"""Load for the chat: clients that send and receive lines, and resume at another process when theirs has exited.

    python3 Examples/Chat/load.py --clients 300 --messages 20 127.0.0.1:7001 127.0.0.1:7002

Each client joins one room and sends its lines there, each with an id. It remembers the number of the last line that
it received. If its connection fails, it resumes after that number at the next process, and repeats the lines that were
not acknowledged. The run ends when each client has received all lines. If lines are missing or duplicated, it prints
their counts and exits with 1.
"""
import argparse
import asyncio
import sys
import time
from collections import Counter


class Client:
    def __init__(self, number, room, messages, addresses):
        self.name = f"c{number}"
        self.room = room
        self.unsaid = [f"{i}" for i in range(messages)]
        self.addresses = addresses
        self.at = number
        self.last = 0
        self.heard = Counter()
        self.out_of_order = 0
        self.resumed = 0
        self.errors = []
        self.changed = asyncio.Event()

    async def run(self):
        """Connects to one address after the other, until it is cancelled."""
        while True:
            host, port = self.addresses[self.at % len(self.addresses)].rsplit(":", 1)
            self.at += 1
            try:
                reader, writer = await asyncio.open_connection(host, int(port))
            except OSError:
                await asyncio.sleep(0.05)
                continue
            try:
                await self.talk(reader, writer)
            except (OSError, asyncio.IncompleteReadError):
                self.resumed += 1
            finally:
                writer.close()

    async def talk(self, reader, writer):
        writer.write(f"NAME {self.name}\nRESUME {self.room} {self.last}\n".encode())
        for identifier in self.unsaid:
            writer.write(f"SAY {self.room} {identifier} line {identifier} of {self.name}\n".encode())
        while True:
            line = await reader.readuntil(b"\n")
            words = line.decode().split(" ", 4)
            if words[0] == "MSG":
                number, text = int(words[2]), " ".join(words[3:]).strip()
                if number <= self.last:
                    self.out_of_order += 1
                self.last = max(number, self.last)
                self.heard[text] += 1
                self.changed.set()
            elif words[0] == "SAID" and words[1] in self.unsaid:
                self.unsaid.remove(words[1])
                self.changed.set()
            elif words[0] == "ERROR":
                self.errors.append(line.decode().strip())


async def load(addresses, clients=300, messages=20, rooms=10, limit=600, meanwhile=None):
    """Runs the load, and returns the findings (empty on success) and the number of resumed clients.

    Calls `meanwhile` once, when a third of all lines have been received.
    """
    everybody = [Client(i, f"room{i // len(addresses) % rooms}", messages, addresses) for i in range(clients)]
    expected = {}
    for client in everybody:
        for identifier in list(client.unsaid):
            expected.setdefault(client.room, set()).add(f"{client.name} line {identifier} of {client.name}")
    total = sum(len(expected[client.room]) for client in everybody)
    tasks = [asyncio.create_task(client.run()) for client in everybody]
    heard = lambda: sum(len(client.heard) for client in everybody)
    start = time.monotonic()
    try:
        while heard() < total or any(client.unsaid for client in everybody):
            if meanwhile and heard() > total / 3:
                meanwhile()
                meanwhile = None
            if time.monotonic() - start > limit:
                break
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.5)  # A duplicate would arrive now.
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    seconds = time.monotonic() - start
    findings = []
    for client in everybody:
        missed = expected[client.room] - set(client.heard)
        strange = set(client.heard) - expected[client.room]
        twice = [text for text, count in client.heard.items() if count > 1]
        if missed or strange or twice or client.unsaid or client.out_of_order or client.errors:
            findings.append(f"{client.name}: missed {len(missed)}, twice {len(twice)}, strange {sorted(strange)[:3]}, unsaid "
                            f"{len(client.unsaid)}, out of order {client.out_of_order}, {client.errors[:3]}")
    resumed = sum(client.resumed for client in everybody)
    print(f"{clients} clients in {rooms} rooms received {heard()} of {total} lines in {seconds:.1f} s; {resumed} resumed elsewhere",
          flush=True)
    return findings, resumed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("addresses", nargs="+")
    arguments.add_argument("--clients", type=int, default=300)
    arguments.add_argument("--messages", type=int, default=20)
    arguments.add_argument("--rooms", type=int, default=10)
    given = arguments.parse_args()
    findings, _ = asyncio.run(load(given.addresses, given.clients, given.messages, given.rooms))
    print("\n".join(findings[:20]))
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
