# SPDX-License-Identifier: MIT
"""The reverse proxy and the HTTP client of the examples, on every loop.

    python3 Tests/Smoke/proxy.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). SMOKE_LOOPS selects the loops (all three). SIZE is the number of
MiB of the upload (10240), which goes to a server that drops it. Prints one line for each check, and exits with 1 if one failed.
"""
import http.client
import http.server
import os
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time

from report import check, totals
from server import BINARIES, Server, expect, head_of

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
SIZE = int(os.environ.get("SIZE") or 10240) << 20
# The memory of the proxy may grow by this much, whatever the size of the upload.
GROWTH = 16 << 20
CHUNK = 1 << 20


class Origin(http.server.BaseHTTPRequestHandler):
    """A server that drops uploads, and answers with the number of bytes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/close":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if self.path == "/slow":
            time.sleep(3)
        fields = "\n".join(f"{name}: {value}" for name, value in self.headers.items()).encode()
        body = b"x" * 5_000_000 if self.path == "/large" else fields
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "X-Hop")
        self.send_header("X-Hop", "1")
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.send_response(200)
        if self.path == "/length":
            self.send_header("Content-Length", "70")
        self.end_headers()

    def do_PUT(self):
        if "Content-Length" not in self.headers and "Transfer-Encoding" not in self.headers:
            self.send_response(411)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        left = int(self.headers["Content-Length"])
        total, memory = left, memoryview(bytearray(CHUNK))
        while left > 0:
            count = self.rfile.readinto1(memory[: min(CHUNK, left)])
            if count == 0:
                break
            left -= count
        body = str(total - left).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OriginServer(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """The proxy resets connections whose responses come too late."""


def start_origin():
    origin = OriginServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    return origin


def proxy(loop, port, *arguments, **limits):
    return Server(
        "reverse-proxy", "--loop", loop, "--listen", "127.0.0.1:0", "--origin", f"127.0.0.1:{port}", *arguments, **limits
    )


def get(server, path, **fields):
    connection = http.client.HTTPConnection(*server.address, timeout=60)
    connection.request("GET", path, headers=fields)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def statuses(loop, origin):
    """A status names the side that has failed."""
    with proxy(loop, origin.server_port) as server:
        for request, status in [
            (b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501),
            (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
            (b"GET / HTTP/1.0\r\nHost:\r\n\r\n", 400),
            (b"TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", 400),
            (b"TRACE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            (b"PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
            (b"GET / HTTP/1.0\r\n\r\n", 200),
            # The origin must see that the sender has stated no length.
            (b"PUT / HTTP/1.1\r\nHost: a\r\n\r\n", 411),
            (b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 200),
        ]:
            head = head_of(server, request)
            expect(head.startswith(f"HTTP/1.1 {status} "), f"{head} for {request}")
        for path, length in [("/length", "content-length: 70"), ("/", None)]:
            for version in ("1.1", "1.0"):
                head = head_of(server, f"HEAD {path} HTTP/{version}\r\nHost: a\r\n\r\n".encode()).lower()
                found = [line for line in head.split("\r\n") if line.startswith("content-length")]
                expect(head.startswith("http/1.1 200 ") and found == ([length] if length else []), head)
    # 256 requests are under way, and 1,000 wait.
    overload(loop, 256 + 1000 + 1)
    # The descriptors do not suffice for a connection with the origin for each peer.
    overload(loop, 100, descriptor_limit=100)
    return "400, 411, 501 and 503, and HEAD"


def overload(loop, count, **limits):
    """The proxy cannot pass this number of requests on, and answers with 503."""
    peers = []
    # The system accepts the connections of the proxy. Nothing answers them.
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as silent:
        server = proxy(loop, silent.getsockname()[1], **limits)
        try:
            with selectors.DefaultSelector() as waiting:
                for _ in range(count):
                    peers.append(socket.create_connection(server.address, timeout=60))
                    peers[-1].sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    waiting.register(peers[-1], selectors.EVENT_READ)
                answered = waiting.select(60)
            expect(answered, f"none of {len(peers)} requests has an answer")
            head = answered[0][0].fileobj.recv(4096)
            expect(head.startswith(b"HTTP/1.1 503 "), head)
        finally:
            for peer in peers:
                peer.close()
            server.process.kill()
            server.process.communicate()


def leaving(loop, answer=b""):
    """Clients that leave while the origin works leave no connection, neither at the proxy nor at the origin."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as silent, proxy(loop, silent.getsockname()[1]) as server:
        count, clients, origins = server.descriptors(), [], []
        for _ in range(100):
            clients.append(socket.create_connection(server.address, timeout=60))
            clients[-1].sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            origins.append(silent.accept()[0])
            origins[-1].sendall(answer)
        for client in clients:
            heard = b""
            while answer and b"data" not in heard:
                part = client.recv(4096)
                expect(part, f"the response ends with {heard}")
                heard += part
            client.close()
        # Events have no end, and no byte moves.
        server.settles_at(count, within=30)
        for origin in origins:
            origin.close()


def exchanges(loop, origin):
    server, hasty = proxy(loop, origin.server_port, "--timeout", "20"), proxy(loop, origin.server_port, "--timeout", "1")
    try:
        response, body = get(server, "/", **{"Connection": "X-Secret", "X-Secret": "1", "X-Kept": "2"})
        text = body.decode()
        expect(response.status == 200 and response.getheader("Via") == "1.1 reverse-proxy", response.status)
        expect(response.getheader("X-Hop") is None, "a field of one connection has passed")
        expect("X-Kept: 2" in text and "X-Secret" not in text and "X-Forwarded-For: 127.0.0.1" in text, text)
        expect(f"Host: 127.0.0.1:{server.port}" in text, text)
        response, body = get(server, "/large")
        expect(len(body) == 5_000_000, f"{len(body)} bytes")
        expect(get(server, "/close")[0].status == 502, "no 502")
        expect(get(hasty, "/slow")[0].status == 504, "no 504")
        gone = proxy(loop, 1)
        expect(get(gone, "/")[0].status == 502, "no 502 without an origin")
        gone.stop()
    finally:
        server.stop()
        hasty.stop()
    return "200, 502 and 504"


def upload(loop, origin):
    server = proxy(loop, origin.server_port)
    try:
        before = peak = server.memory()
        begin = time.monotonic()
        with socket.create_connection(server.address) as connection:
            connection.sendall(f"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: {SIZE}\r\n\r\n".encode())
            chunk, left = b"u" * CHUNK, SIZE
            while left > 0:
                connection.sendall(chunk[: min(CHUNK, left)])
                left -= CHUNK
                if left % (16 << 20) == 0:
                    peak = max(peak, server.memory())
            answer = b""
            while not answer.endswith(str(SIZE).encode()):
                part = connection.recv(65536)
                expect(part, f"the connection ended after {answer}")
                answer += part
        seconds = time.monotonic() - begin
        growth = peak - before
        expect(growth <= GROWTH, f"the memory grew by {growth >> 10} KiB")
        return (
            f"{SIZE >> 20} MiB in {seconds:.1f} s; memory {before >> 10} KiB before, {peak >> 10} KiB at most"
        )
    finally:
        server.stop()


def client(server):
    result = subprocess.run(
        [BINARIES / "http-client", f"http://127.0.0.1:{server.port}/bytes/1000000"], capture_output=True, timeout=60
    )
    expect(result.returncode == 0 and result.stdout.startswith(b"200 OK\n"), result.stdout[:200] + result.stderr)
    expect(len(result.stdout) == 7 + 1_000_000, f"{len(result.stdout)} bytes")
    failed = subprocess.run([BINARIES / "http-client", "http://127.0.0.1:1/"], capture_output=True, timeout=60)
    expect(failed.returncode == 1 and b"refused" in failed.stdout, failed.stdout)
    for url in ("http://127.0.0.1:1/a b", "http://127.0.0.1:1/\n"):
        invalid = subprocess.run([BINARIES / "http-client", url], capture_output=True, timeout=60)
        expect(invalid.returncode == 1 and b"contains whitespace" in invalid.stdout, invalid.stdout)
    usage = subprocess.run([BINARIES / "http-client"], capture_output=True, timeout=60)
    expect(usage.returncode == 64, usage.returncode)
    return "a body, a failure and a usage error"


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    origin = start_origin()
    server = Server("http-server", "--port", "0")
    check("http-client", lambda: client(server))
    server.stop()
    for loop in LOOPS:
        check(f"{loop}: exchanges", lambda: exchanges(loop, origin))
        check(f"{loop}: statuses", lambda: statuses(loop, origin))
        check(f"{loop}: upload", lambda: upload(loop, origin))
        check(f"{loop}: leaving", lambda: leaving(loop))
        events = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n"
        check(f"{loop}: leaving a stream of events", lambda: leaving(loop, events))
    return totals()


if __name__ == "__main__":
    sys.exit(main())
