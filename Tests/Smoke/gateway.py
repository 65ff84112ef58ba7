# SPDX-License-Identifier: MIT
"""The HTTP gateway of the examples, with the key-value server and with servers that fail, on every loop.

    python3 Tests/Smoke/gateway.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). SMOKE_LOOPS selects the loops (all three). Prints one line for each
check, and exits with 1 if one failed.
"""
import contextlib
import hashlib
import http.client
import os
import socket
import socketserver
import sys
import threading
import time

from greedy_servers import bulk
from report import check, totals
from server import Failed, Peak, Server, expect, free_port, head_of

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
MIB = 1 << 20
# The memory of the gateway may grow by this much, whatever the size of a value.
GROWTH = 8 * MIB
LARGE = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(MIB // 2))
assert len(LARGE) == 16 * MIB


class ScriptedServer(socketserver.ThreadingTCPServer):
    """A key-value server that fails as the key says."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Scripted)
        self.connections = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def handle_error(self, *_):
        """The gateway resets connections."""


class Scripted(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.connections += 1
        while line := self.rfile.readline():
            count = int(line[1:])
            words = []
            for number in range(count):
                length = int(self.rfile.readline()[1:])
                if number == 2 and words[1] == b"deaf":
                    time.sleep(30)
                if number == 2 and words[1] == b"hasty":
                    self.wfile.write(b"+OK\r\n")
                    return
                if number == 2 and words[1] == b"early":
                    self.wfile.write(b"-ERR this value is not wanted\r\n")
                    return
                words.append(self.rfile.read(length))
                self.rfile.read(2)
            if not self.answer(words[1]):
                return

    def answer(self, key):
        write = self.wfile.write
        if key == b"split":
            for byte in b"$5\r\nhello\r\n":
                write(bytes([byte]))
                time.sleep(0.002)
        elif key == b"refused":
            write(b"-WRONGTYPE Operation against a key\r\n")
        elif key == b"malformed":
            write(b"?what\r\n")
        elif key == b"negative":
            write(b"$-2\r\n")
        elif key == b"endless":
            write(b"+" + b"x" * 5000)
            time.sleep(30)
        elif key == b"array":
            write(b"*1\r\n$1\r\na\r\n")
        elif key == b"silent":
            time.sleep(30)
        elif key == b"stalled":
            write(b"$10\r\nhalf-")
            time.sleep(30)
        elif key == b"cut":
            write(b"$10\r\nhalf-")
            return False
        elif key == b"unended":
            write(b"$5\r\nhello??")
        elif key == b"empty":
            write(b"$0\r\n\n\r")
        elif key == b"unended-late":
            write(b"$5\r\nhello")
            time.sleep(0.1)
            write(b"??")
        elif key == b"twice":
            write(b"$5\r\nhello\r\n$5\r\nother\r\n")
        elif key == b"late":
            write(b"$5\r\nhello\r\n")
            time.sleep(0.1)
            write(b"$5\r\nother\r\n")
        elif key == b"closes":
            return False
        else:
            write(b"$5\r\nvalue\r\n")
        return True


def gateway(loop, port, *arguments):
    return Server("gateway", "--loop", loop, "--port", "0", "--origin", f"127.0.0.1:{port}", *arguments)


@contextlib.contextmanager
def both(loop, *arguments):
    with Server("key-value-server", "--loop", loop, "--port", "0") as origin:
        with gateway(loop, origin.port, *arguments) as server:
            yield server, origin


def ask(server, method, path, body=None, **fields):
    connection = http.client.HTTPConnection(*server.address, timeout=60)
    try:
        connection.request(method, path, body=body, headers=fields)
        response = connection.getresponse()
        return response.status, response.read(), response
    finally:
        connection.close()


def status_of(server, request):
    """The status of a request that http.client does not send."""
    return int(head_of(server, request).split(" ", 2)[1])


def stored(origin, key):
    """The reply to GET, without the gateway."""
    with socket.create_connection(origin.address, timeout=60) as connection:
        connection.sendall(bulk(b"GET", key) + bulk(b"QUIT"))
        reply = b""
        while part := connection.recv(MIB):
            reply += part
        return reply.removesuffix(b"+OK\r\n")


def methods(loop):
    with both(loop, "--max-value", "1000000", "--connections", "4") as (server, origin):
        expect(ask(server, "GET", "/keys/a")[0] == 404, "GET found a missing key")
        expect(ask(server, "HEAD", "/keys/a")[0] == 404, "HEAD found a missing key")
        expect(ask(server, "DELETE", "/keys/a")[0] == 404, "DELETE found a missing key")
        expect(ask(server, "PUT", "/keys/a", b"one")[:2] == (204, b""), "no 204 for PUT")
        status, body, response = ask(server, "GET", "/keys/a")
        expect((status, body) == (200, b"one") and response.getheader("Content-Length") == "3", (status, body))
        expect(ask(server, "HEAD", "/keys/a")[:2] == (200, b""), "HEAD did not find the key")
        expect(ask(server, "PUT", "/keys/empty", b"")[0] == 204, "no 204 for an empty value")
        expect(ask(server, "GET", "/keys/empty")[:2] == (200, b""), "another empty value")
        expect(ask(server, "DELETE", "/keys/a")[:2] == (204, b""), "DELETE did not find the key")
        expect(ask(server, "GET", "/keys/a")[0] == 404, "GET found a deleted key")
        expect(ask(server, "PUT", "/keys/a%00%FF%2f/b+%20", b"\r\n$-1\r\n")[0] == 204, "no 204 for an encoded name")
        expect(stored(origin, b"a\0\xff//b+ ") == b"$7\r\n\r\n$-1\r\n\r\n", stored(origin, b"a\0\xff//b+ "))
        expect(ask(server, "GET", "/keys/a%00%ff%2F/b+%20")[1] == b"\r\n$-1\r\n", "another encoded name")
        for path in ["/keys/", "/keys/%", "/keys/a%2", "/keys/a%2x", "/keys/a?b"]:
            expect(ask(server, "PUT", path, b"x")[0] == 400, f"no 400 for {path}")
        expect(ask(server, "GET", "/other")[0] == 404, "no 404 for another path")
        status, _, response = ask(server, "POST", "/keys/a", b"x")
        expect(status == 405 and response.getheader("Allow") == "GET, HEAD, PUT, DELETE", status)
        status = ask(server, "PUT", "/keys/a", iter([b"x"]), **{"Transfer-Encoding": "chunked"})[0]
        expect(status == 411, f"{status} for chunks")
        expect(ask(server, "PUT", "/keys/a", b"kept")[0] == 204, "no 204")
        for request, wanted in [
            (b"PUT /keys/a HTTP/1.1\r\nHost: a\r\n\r\n", 411),
            (b"PUT /keys/a HTTP/1.0\r\n\r\n", 411),
            (b"PUT /keys/a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", 411),
            (b"PUT /keys/a HTTP/1.1\r\nHost: a\r\nContent-Range: bytes 0-0/4\r\nContent-Length: 1\r\n\r\nx", 400),
            (b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 404),
        ]:
            status = status_of(server, request)
            expect(status == wanted, f"{status} for {request}")
        expect(ask(server, "GET", "/keys/a")[1] == b"kept", "a request without a length has changed the value")
        expect(ask(server, "PUT", "/keys/a", b"x" * 1_000_001)[0] == 413, "no 413")
        crowd(server)
        expect(origin.descriptors() < 4 + 16, f"{origin.descriptors()} descriptors of the key-value server")
    return "all methods, names and limits; 40 clients share 4 connections"


def crowd(server):
    """Clients that wait for connections. Each keeps its own connection to the gateway."""
    wrong = []

    def client(number):
        try:
            connection = http.client.HTTPConnection(*server.address, timeout=60)
            for round in range(20):
                value = f"{number} {round} ".encode() * 1000
                connection.request("PUT", f"/keys/c{number}", body=value)
                response = connection.getresponse()
                response.read()
                expect(response.status == 204, response.status)
                connection.request("GET", f"/keys/c{number}")
                expect(connection.getresponse().read() == value, f"another value for client {number}")
            connection.close()
        except (Failed, OSError, http.client.HTTPException) as error:
            wrong.append(error)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not wrong, wrong[:1])


def large_values(loop):
    with both(loop) as (server, origin):
        with Peak(server) as memory:
            expect(ask(server, "PUT", "/keys/large", LARGE)[0] == 204, "no 204")
            expect(stored(origin, b"large") == b"$%d\r\n%s\r\n" % (len(LARGE), LARGE), "other bytes were stored")
            expect(ask(server, "GET", "/keys/large")[1] == LARGE, "other bytes came back")
            waits = ask(server, "PUT", "/keys/large", LARGE, Expect="100-continue")
            expect(waits[0] == 204, waits[0])
        grown = memory.peak - memory.before
        expect(grown <= GROWTH, f"the memory grew by {grown >> 10} KiB")
        return f"{len(LARGE) >> 20} MiB each way; the memory grew by {grown >> 10} KiB"


def settled_memory(server):
    """Waits until the processor time of the server stays the same: it has read all that it will read."""
    last = server.processor_time()
    while True:
        time.sleep(0.3)
        now = server.processor_time()
        if now == last:
            return server.memory()
        last = now


def slow_client(loop):
    """A client that does not read its value. Then it reads everything."""
    with both(loop) as (server, _):
        size = 64 * MIB
        expect(ask(server, "PUT", "/keys/large", LARGE * 4)[0] == 204, "no 204")
        before = server.memory()
        with socket.create_connection(server.address, timeout=60) as connection:
            connection.sendall(b"GET /keys/large HTTP/1.1\r\nHost: a\r\n\r\n")
            head = connection.recv(16, socket.MSG_PEEK)
            expect(head.startswith(b"HTTP/1.1 200"), head)
            grown = settled_memory(server) - before
            expect(grown <= GROWTH, f"the memory grew by {grown >> 10} KiB while the client did not read")
            # The loop serves others.
            expect(ask(server, "HEAD", "/keys/large")[0] == 200, "no 200 beside it")
            response = http.client.HTTPResponse(connection)
            response.begin()
            digest = hashlib.sha256()
            count = 0
            while part := response.read(MIB):
                digest.update(part)
                count += len(part)
            expect(count == size and digest.digest() == hashlib.sha256(LARGE * 4).digest(), f"{count} bytes")
    return f"grew by {grown >> 10} KiB"


def slow_server(loop):
    """A server that does not read a value: the upload stops, and fails after the time limit."""
    origin = ScriptedServer()
    with gateway(loop, origin.port, "--timeout", "2") as server:
        before = server.memory()
        with socket.create_connection(server.address, timeout=60) as connection:
            connection.sendall(b"PUT /keys/deaf HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (256 * MIB))
            connection.setblocking(False)
            sent, chunk, until = 0, b"u" * MIB, time.monotonic() + 1
            while time.monotonic() < until:
                try:
                    sent += connection.send(chunk)
                except BlockingIOError:
                    time.sleep(0.01)
            grown = server.memory() - before
            expect(sent < 64 * MIB, f"the gateway accepted {sent >> 20} MiB that the server did not read")
            expect(grown <= GROWTH, f"the memory grew by {grown >> 10} KiB")
            connection.setblocking(True)
            head = connection.recv(16)
            expect(head.startswith(b"HTTP/1.1 504"), head)
    origin.server_close()
    return f"stopped after {sent >> 10} KiB; grew by {grown >> 10} KiB"


def failures(loop):
    origin = ScriptedServer()
    with gateway(loop, origin.port, "--timeout", "20") as server, gateway(loop, origin.port, "--timeout", "1") as hasty:
        expect(ask(server, "GET", "/keys/split")[:2] == (200, b"hello"), "another value in single bytes")
        # The whole reply arrives in one segment, so a wrong end of a value is found before the gateway has sent anything.
        for key in ["refused", "malformed", "negative", "endless", "array", "closes", "unended", "empty", "twice"]:
            status, body, _ = ask(server, "GET", f"/keys/{key}")
            expect(status == 502, f"{status} for {key}: {body}")
            expect(ask(server, "GET", "/keys/good")[:2] == (200, b"value"), f"another value after {key}")
        expect(b"WRONGTYPE" in ask(server, "GET", "/keys/refused")[1], "the error is not named")
        expect(ask(server, "DELETE", "/keys/good")[0] == 502, "DEL with a value as its reply")
        expect(ask(hasty, "GET", "/keys/silent")[0] == 504, "no 504")
        for key in ["cut", "stalled"]:
            with contextlib.suppress(http.client.IncompleteRead, ConnectionResetError):
                body = ask(hasty if key == "stalled" else server, "GET", f"/keys/{key}")[1]
                expect(False, f"{body} for {key}")
        with contextlib.suppress(http.client.IncompleteRead, ConnectionResetError):
            status, body, _ = ask(server, "GET", "/keys/unended-late")
            # If both parts arrive together, nothing has been sent when the gateway finds the end missing.
            expect((status, body) == (200, b"hello") or status == 502, f"{status} {body} for unended-late")
        expect(ask(server, "GET", "/keys/good")[:2] == (200, b"value"), "another value after unended-late")
        status, body, _ = ask(server, "GET", "/keys/late")
        expect((status, body) == (200, b"hello"), f"{status} {body} for late")
        time.sleep(0.3)
        expect(ask(server, "GET", "/keys/good")[1] == b"value", "a value of another reply after late")
        with socket.create_connection(server.address, timeout=60) as connection:
            connection.sendall(b"PUT /keys/early HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegin")
            answer = connection.recv(4096)
            expect(answer.startswith(b"HTTP/1.1 502") and b"not wanted" in answer, answer)
        status = status_of(server, b"PUT /keys/hasty HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegin")
        expect(status == 502, f"{status} for a value whose end has not been sent")
    origin.server_close()
    with gateway(loop, free_port()) as server:
        expect(ask(server, "GET", "/keys/a")[0] == 502, "no 502 without a server")
        expect(ask(server, "PUT", "/keys/a", b"x")[0] == 502, "no 502 without a server")
    return "502, 504, and no value of another reply"


def leaving_clients(loop):
    """Clients that leave in the middle change nothing, and leave nothing behind."""
    with both(loop, "--connections", "2") as (server, origin):
        expect(ask(server, "PUT", "/keys/large", LARGE)[0] == 204, "no 204")
        expect(ask(server, "PUT", "/keys/kept", b"old")[0] == 204, "no 204")
        for _ in range(10):
            with socket.create_connection(server.address, timeout=60) as connection:
                connection.sendall(b"GET /keys/large HTTP/1.1\r\nHost: a\r\n\r\n")
                connection.recv(1000)
            with socket.create_connection(server.address, timeout=60) as connection:
                connection.sendall(b"PUT /keys/kept HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nnew")
            expect(ask(server, "GET", "/keys/kept")[1] == b"old", "a value that was not sent completely was stored")
        expect(ask(server, "GET", "/keys/large")[1] == LARGE, "another large value")
        # The server restarts: idle connections of the gateway are not used again.
        port = origin.port
        origin.stop()
        expect(ask(server, "GET", "/keys/kept")[0] == 502, "no 502")
        with Server("key-value-server", "--loop", loop, "--port", str(port)) as second:
            expect(ask(server, "GET", "/keys/kept")[0] == 404, "no 404 of the next server")
            second.settles_at(second.descriptors())


def main():
    for loop in LOOPS:
        for test in [methods, large_values, slow_client, slow_server, failures, leaving_clients]:
            check(f"{loop}: {test.__name__.replace('_', ' ')}", lambda: test(loop))
    return totals()


if __name__ == "__main__":
    sys.exit(main())
