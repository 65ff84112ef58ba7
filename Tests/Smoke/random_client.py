# SPDX-License-Identifier: MIT
"""A client of an echo server, over asyncio: many connections, random bytes in random fragments, every byte compared.

    python3 random_client.py PORT [--connections 1000] [--bytes 1073741824]

Each connection sends its own part of a block of random bytes, in writes of 1 byte to 128 KiB, as fast as it can. It compares every
received byte with the sent one. When it has sent everything, it ends its stream; then the rest and the end of stream must arrive,
and no further byte. Otherwise the program prints the failure and exits with 1.
"""
import argparse
import asyncio
import os
import random
import sys

BLOCK = 8 * 1024 * 1024


class Connection(asyncio.Protocol):
    def __init__(self, block, offset, size, done):
        self.block = block
        self.view = memoryview(block)
        self.sent = offset
        self.received = offset
        self.end = offset + size
        self.done = done
        self.may_write = True

    def connection_made(self, transport):
        self.transport = transport
        self.write_some()

    def write_some(self):
        # A few fragments at a time, so that a thousand connections take turns.
        for _ in range(4):
            if not self.may_write:
                return
            if self.sent == self.end:
                self.transport.write_eof()
                return
            size = min(int(2 ** random.uniform(0, 17)), self.end - self.sent)
            self.transport.write(self.view[self.sent:self.sent + size])
            self.sent += size
        asyncio.get_running_loop().call_soon(self.write_some)

    def pause_writing(self):
        self.may_write = False

    def resume_writing(self):
        self.may_write = True
        self.write_some()

    def data_received(self, data):
        if not self.block.startswith(data, self.received) or self.received + len(data) > self.end:
            self.fail(f"wrong bytes near {self.received}")
            self.transport.abort()
        self.received += len(data)

    def eof_received(self):
        if self.received != self.end:
            self.fail(f"the end came {self.end - self.received} bytes too early")

    def connection_lost(self, error):
        self.may_write = False
        if error:
            self.fail(f"the connection failed: {error}")
        if not self.done.done():
            self.done.set_result(None)

    def fail(self, text):
        if not self.done.done():
            self.done.set_exception(RuntimeError(text))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--bytes", type=int, default=1024 ** 3)
    options = parser.parse_args()
    each = -(-options.bytes // options.connections)
    block = os.urandom(BLOCK + each)
    loop = asyncio.get_running_loop()
    ends = []

    async def connect():
        done = loop.create_future()
        ends.append(done)
        offset = random.randrange(BLOCK)
        await loop.create_connection(lambda: Connection(block, offset, each, done), "127.0.0.1", options.port)

    await asyncio.gather(*(connect() for _ in range(options.connections)))
    results = await asyncio.gather(*ends, return_exceptions=True)
    wrong = [str(result) for result in results if result is not None]
    if wrong:
        sys.exit(f"{len(wrong)} of {options.connections} connections: {wrong[0]}")
    print(f"{options.connections} connections, {each * options.connections} bytes, all of them right")


asyncio.run(main())
