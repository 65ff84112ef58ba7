# SPDX-License-Identifier: MIT
"""Static files of the HTTP server with curl and raw sockets, and nginx and haproxy in front of it, on every loop.

    python3 Tests/Smoke/http_files.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). Needs curl, nginx and haproxy of Debian. SMOKE_LOOPS selects the loops
(all three). Prints one line for each check, and exits with 1 if one failed.
"""
import base64
import contextlib
import hashlib
import os
import random
import re
import socket
import sys
import tempfile
import time
from pathlib import Path

from report import check, run, totals
from server import Server, expect, free_port, started

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
DATA = random.Random(53).randbytes(5 * 1024 * 1024 + 1)


class Site:
    """A folder with files, and a secret beside it."""

    def __init__(self, folder):
        self.path = Path(folder, "site")
        self.path.mkdir()
        Path(folder, "secret").write_text("secret")
        (self.path / "data.bin").write_bytes(DATA)
        (self.path / "small.txt").write_text("small\n")
        (self.path / "out").symlink_to("../secret")
        # Sparse, so it needs no disk space.
        with open(self.path / "huge.bin", "wb") as file:
            file.truncate(200 << 20)


def serve(loop, site, **options):
    return Server("http-server", "--loop", loop, "--port", "0", "--files", str(site.path), **options)


def request(address, path, fields="", method="GET"):
    """Sends bytes that no client library would send. Returns the head and the body."""
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(f"{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{fields}\r\n".encode("latin-1"))
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.decode("latin-1"), body


def curl_checks(address, folder):
    base = f"http://{address[0]}:{address[1]}/files/"
    file = Path(folder, "copy")
    run("curl", "-sS", "-f", "-o", file, base + "data.bin")
    expect(file.read_bytes() == DATA, "another file")
    # A download that continues, three times.
    file.write_bytes(DATA[:1_000_000])
    for _ in range(3):
        run("curl", "-sS", "-f", "-C", "-", "-o", file, base + "data.bin")
        expect(file.read_bytes() == DATA, "another file after the continuation")
        file.write_bytes(DATA[: random.randrange(len(DATA))])
    expect(run("curl", "-sS", "-f", "-r", "7-9,100000-300000", base + "data.bin").count(b"Content-Range: bytes ") == 2, "parts")
    tag, other = Path(folder, "tag"), Path(folder, "other")
    run("curl", "-sS", "-f", "--etag-save", tag, "-o", other, base + "small.txt")
    code = run("curl", "-sS", "-f", "--etag-compare", tag, "-o", other, "-w", "%{http_code}", base + "small.txt")
    expect(code == b"304", f"{code} instead of 304")
    code = run("curl", "-sS", "-f", "-z", str(other), "-o", other, "-w", "%{http_code}", base + "small.txt")
    expect(code == b"304", f"{code} instead of 304 for a date")
    expect(run("curl", "-sS", "-f", "-0", base + "small.txt") == b"small\n", "another file with HTTP/1.0")


def traversal(address):
    for path in [
        "/files/../secret", "/files/..%2fsecret", "/files/%2e%2e/secret", "/files/out", "/files/..%5csecret", "/files//secret",
        "/files/./../secret", "/files/%00", "/files/%2e%2e%2fsecret", "/files/..;/secret",
    ]:
        head, body = request(address, path)
        # A proxy refuses some of them itself.
        expect(re.match(r"HTTP/1.1 40[04] ", head) and b"secret" != body, f"{path}: {head}")
    return "10 paths"


def exhaustion(loop, site):
    """Without a free descriptor the response is 503. Afterwards files are served again."""
    server = serve(loop, site, descriptor_limit=64)
    try:
        clients = []
        first = socket.create_connection(server.address, timeout=60)
        first.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(first.recv(65536).startswith(b"HTTP/1.1 200"), "no greeting")
        end = time.monotonic() + 60
        while server.descriptors() < 64:
            expect(time.monotonic() < end, f"the server has only {server.descriptors()} descriptors")
            clients.append(socket.create_connection(server.address, timeout=60))
            time.sleep(0.01)
        first.sendall(b"GET /files/data.bin HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = first.recv(65536)
        expect(answer.startswith(b"HTTP/1.1 503"), answer[:100])
        for client in clients:
            client.close()
        server.settles_at(40)
        first.sendall(b"GET /files/small.txt HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = first.recv(65536)
        expect(answer.startswith(b"HTTP/1.1 200"), answer[:100])
        first.close()
    finally:
        server.stop()


def slow_clients(server):
    """A hundred clients that request 200 MiB and do not read need no memory, and leave no descriptor."""
    before, descriptors = server.memory(), server.descriptors()
    clients = [socket.create_connection(server.address, timeout=60) for _ in range(100)]
    for client in clients:
        client.sendall(b"GET /files/huge.bin HTTP/1.1\r\nHost: a\r\n\r\n" * 20)
    time.sleep(1)
    grown = (server.memory() - before) // len(clients)
    expect(grown < 16 << 10, f"{grown} bytes for each client")
    for client in clients:
        client.close()
    server.settles_at(descriptors)
    return f"{grown} bytes for each client"


# Proxies


@contextlib.contextmanager
def proxy(program, folder, http, chat):
    """Starts nginx or haproxy in front of the two servers. Yields its address."""
    port = free_port()
    config = Path(folder, f"{program}.conf")
    if program == "nginx":
        config.write_text(f"""
            daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
            events {{ worker_connections 256; }}
            http {{
                access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
                uwsgi_temp_path {folder}; scgi_temp_path {folder}; client_max_body_size 0;
                upstream http {{ server {http[0]}:{http[1]}; keepalive 4; }}
                upstream chat {{ server {chat[0]}:{chat[1]}; }}
                map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}
                server {{
                    listen 127.0.0.1:{port};
                    proxy_http_version 1.1;
                    location / {{
                        proxy_pass http://http;
                        proxy_set_header Host $http_host; proxy_set_header Connection "";
                    }}
                    location ~ ^/(chat|events) {{
                        proxy_pass http://chat; proxy_set_header Host $http_host;
                        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
                    }}
                }}
            }}""")
        command = ["nginx", "-p", folder, "-c", str(config)]
    else:
        config.write_text(f"""
            defaults
                mode http
                timeout connect 5s
                timeout client 60s
                timeout server 60s
                timeout tunnel 60s
            frontend front
                bind 127.0.0.1:{port}
                use_backend chat if {{ path /chat /events }}
                default_backend http
            backend http
                http-reuse always
                server one {http[0]}:{http[1]}
            backend chat
                server one {chat[0]}:{chat[1]}
            """.rstrip(" "))
        command = ["haproxy", "-f", str(config)]
    with started(command, port):
        yield "127.0.0.1", port


class Socket:
    """A WebSocket client of the chat."""

    def __init__(self, address, name):
        self.client = socket.create_connection(address, timeout=60)
        key = base64.b64encode(random.randbytes(16)).decode()
        self.client.sendall(
            f"GET /chat?room=r&name={name} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nOrigin: http://{address[0]}:{address[1]}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self.buffer = b""
        head = self.until(b"\r\n\r\n").decode()
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        expect(" 101 " in head and accept in head, head)

    def more(self):
        part = self.client.recv(65536)
        expect(part, "the WebSocket has ended")
        self.buffer += part

    def until(self, mark):
        while mark not in self.buffer:
            self.more()
        first, self.buffer = self.buffer.split(mark, 1)
        return first

    def say(self, text):
        data, mask = text.encode(), random.randbytes(4)
        expect(len(data) < 126, "too long")
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.client.sendall(bytes([0x81, 0x80 | len(data)]) + mask + masked)

    def hear(self):
        while len(self.buffer) < 2 or len(self.buffer) < 2 + self.buffer[1]:
            self.more()
        length = self.buffer[1]
        text, self.buffer = self.buffer[2:2 + length].decode(), self.buffer[2 + length:]
        return text


def behind(program, loop, folder, server, site):
    chat = Server("web-chat", "--loop", loop, "--port", "0")
    try:
        with proxy(program, folder, server.address, chat.address) as address:
            curl_checks(address, folder)
            traversal(address)
            base = f"http://{address[0]}:{address[1]}"
            file = Path(folder, "upload")
            # Small, because these proxies do not forward a response while they still forward its request.
            file.write_bytes(DATA[:8000])
            for arguments in ([], ["-H", "Transfer-Encoding: chunked"]):
                back = run("curl", "-sS", "-f", "--data-binary", f"@{file}", *arguments, base + "/echo")
                expect(back == DATA[:8000], f"{len(back)} bytes came back with {arguments}")
            # Many requests, over few connections to the server.
            urls = [base + "/files/small.txt"] * 200
            expect(run("curl", "-sS", "-f", *urls) == b"small\n" * 200, "other small files")
            ada, ben = Socket(address, "ada"), Socket(address, "ben")
            ada.say("hello")
            expect(ben.hear() == "ada\nhello" and ada.hear() == "ada\nhello", "another line")
            events = socket.create_connection(address, timeout=60)
            events.sendall(f"GET /events HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
            text = b""
            while b"data: 2\n\n" not in text:
                text += events.recv(65536)
            ben.client.close()
            # An event that a proxy collects would not arrive.
            while b"data: 1\n\n" not in text:
                text += events.recv(65536)
            expect(re.search(rb"(?i)cache-control: no-store", text), text)
            events.close()
            ada.client.close()
    finally:
        chat.stop()


def main():
    for loop in LOOPS:
        with tempfile.TemporaryDirectory() as folder:
            site = Site(folder)
            server = serve(loop, site)
            try:
                check(f"{loop}: curl, ranges and conditions", lambda: curl_checks(server.address, folder))
                check(f"{loop}: paths cannot leave the folder", lambda: traversal(server.address))
                check(f"{loop}: clients that do not read", lambda: slow_clients(server))
                for program in ("nginx", "haproxy"):
                    check(f"{loop}: behind {program}", lambda: behind(program, loop, folder, server, site))
                check(f"{loop}: no free descriptor", lambda: exhaustion(loop, site))
            finally:
                server.stop()
    return totals()


if __name__ == "__main__":
    sys.exit(main())
