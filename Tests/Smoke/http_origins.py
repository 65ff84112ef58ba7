# SPDX-License-Identifier: MIT
"""The HTTP client with nginx and haproxy as its servers, on every loop. The reverse proxy of the examples uses the client.

    python3 Tests/Smoke/http_origins.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). Needs curl, nginx-light and haproxy of Debian. SMOKE_LOOPS selects the
loops (all three). Prints one line for each check, and exits with 1 if one failed.
"""
import hashlib
import http.client
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from report import check, run, totals
from server import Failed, Server, expect, free_port, started

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
LARGE = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(1 << 19))


class Collector(http.server.BaseHTTPRequestHandler):
    """A server behind the origin that sends a body back when it has all of it.

    The example's echo sends it back earlier, which nginx and haproxy do not forward (Docs/HTTP.md).
    """

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class CollectorServer(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        """nginx and haproxy reset idle connections when they end."""


def start_collector():
    collector = CollectorServer(("127.0.0.1", 0), Collector)
    collector.daemon_threads = True
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    return collector.server_address


def nginx(folder, port, http, collector):
    config = Path(folder, "nginx.conf")
    # Connections are closed after 20 requests, and after half a second without one.
    config.write_text(f"""
        daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
        events {{ worker_connections 512; }}
        http {{
            access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
            uwsgi_temp_path {folder}; scgi_temp_path {folder};
            keepalive_requests 20; keepalive_timeout 500ms;
            upstream http {{ server {http[0]}:{http[1]}; keepalive 4; }}
            server {{
                listen 127.0.0.1:{port};
                root {folder}/site;
                location = /limited {{ client_max_body_size 100k; proxy_pass http://http/echo; }}
                location = /collect {{
                    client_max_body_size 0; proxy_http_version 1.1; proxy_request_buffering off;
                    proxy_pass http://{collector[0]}:{collector[1]};
                }}
                location /app/ {{
                    client_max_body_size 0; proxy_http_version 1.1; proxy_buffering off;
                    proxy_set_header Host $http_host; proxy_set_header Connection "";
                    proxy_pass http://http/;
                }}
            }}
        }}""")
    return ["nginx", "-p", folder, "-c", str(config)]


def haproxy(folder, port, http, collector):
    config = Path(folder, "haproxy.conf")
    config.write_text(f"""
        defaults
            mode http
            timeout connect 5s
            timeout client 60s
            timeout server 60s
            timeout http-keep-alive 500ms
        frontend front
            bind 127.0.0.1:{port}
            http-request deny deny_status 413 if {{ path /limited }}
            http-request return status 200 content-type application/octet-stream file {folder}/site/small if {{ path /small }}
            http-request replace-path /app(/.*) \\1
            use_backend collector if {{ path /collect }}
            default_backend http
        backend collector
            server one {collector[0]}:{collector[1]}
        backend http
            server one {http[0]}:{http[1]}
        """.rstrip(" "))
    return ["haproxy", "-f", str(config)]


def curl(base, path, *arguments):
    return run("curl", "-sS", "-f", "--max-time", "60", *arguments, base + path)


def status(base, path, *arguments):
    """The status alone. Curl stops its upload when a response arrives."""
    format = ["-o", "/dev/null", "-w", "%{http_code}"]
    return run("curl", "-sS", "--max-time", "60", *format, *arguments, base + path).decode()


def connected(port):
    """The number of connections to a port that their client has not closed."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    established, close_wait = "01", "08"
    return sum(line[2].endswith(f":{port:04X}") and line[3] in (established, close_wait) for line in lines)


def many(address):
    """Twenty clients, whose requests share connections that the origin closes from time to time."""
    wrong, repeated = [], []

    def client():
        try:
            connection = http.client.HTTPConnection(*address, timeout=60)
            for number in range(60):
                method = "POST" if number % 3 == 0 else "GET"
                body = b"x" * 3000 if method == "POST" else None
                for _ in range(2):
                    connection.request(method, "/collect" if body else "/app/", body=body)
                    response = connection.getresponse()
                    back = response.read()
                    # The origin may close the connection when a POST is on its way. Only its client may repeat that.
                    if not body or response.status != 502:
                        break
                    repeated.append(number)
                expect(back == (body or b"hello\n"), f"{response.status} for {method} {number}")
        except (Failed, OSError, http.client.HTTPException) as error:
            wrong.append(error)

    threads = [threading.Thread(target=client) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not wrong, wrong[:3])
    expect(len(repeated) <= 5, f"{len(repeated)} of 400 uploads failed, and were repeated")


def origin(loop, make, folder, collector):
    with Server("http-server", "--loop", loop, "--port", "0") as http_server:
        port = free_port()
        with started(make(folder, port, http_server.address, collector), port) as process:
            arguments = ["--loop", loop, "--listen", "127.0.0.1:0", "--origin", f"127.0.0.1:{port}"]
            with Server("reverse-proxy", *arguments) as proxy:
                base = f"http://127.0.0.1:{proxy.port}"
                expect(curl(base, "/app/") == b"hello\n" and curl(base, "/small") == b"small\n", "another greeting")
                head = curl(base, "/app/", "-I").decode().lower()
                expect("content-length: 6" in head and "via: 1.1 reverse-proxy" in head, head)
                expect(curl(base, "/app/bytes/10000000") == b"x" * 10_000_000, "other bytes")
                if make is nginx:
                    expect(curl(base, "/large") == LARGE, "another large file")
                    expect(curl(base, "/large", "-r", "1000-1999") == LARGE[1000:2000], "another range")
                file = Path(folder, "upload")
                file.write_bytes(LARGE[:5_000_000])
                for more in ([], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]):
                    back = curl(base, "/collect", "--data-binary", f"@{file}", *more)
                    expect(back == LARGE[:5_000_000], f"{len(back)} bytes came back with {more}")
                # The stream of the server arrives while it is being sent.
                ticks = subprocess.Popen(["curl", "-sSN", f"{base}/app/ticks"], stdout=subprocess.PIPE)
                expect(ticks.stdout.read(25) == b"tick\n" * 5, "no ticks")
                ticks.terminate()
                ticks.wait(timeout=60)
                many(proxy.address)
                # Idle connections that the origin has closed are not used again.
                for method in ("GET", "POST"):
                    end = time.monotonic() + 60
                    while connected(port):
                        expect(time.monotonic() < end, "the proxy keeps connections that the origin has closed")
                        time.sleep(0.02)
                    expect(status(base, "/app/", "-X", method) == ("200" if method == "GET" else "404"), method)
                # The origin answers before it has read the upload. The proxy discards at most a mebibyte of it (rule N24).
                file.write_bytes(LARGE[:300_000])
                for _ in range(20):
                    for more in ([], ["-H", "Transfer-Encoding: chunked"]):
                        found = status(base, "/limited", "--data-binary", f"@{file}", "-H", "Expect:", *more)
                        expect(found == "413", f"{found} instead of 413 with {more}")
                expect(curl(base, "/app/") == b"hello\n", "no greeting after the refusals")
                process.terminate()
                process.wait()
                expect(status(base, "/app/") == "502", "no 502 without the origin")


def main():
    collector = start_collector()
    for loop in LOOPS:
        for make in (nginx, haproxy):
            with tempfile.TemporaryDirectory() as folder:
                site = Path(folder, "site")
                site.mkdir()
                Path(folder).chmod(0o755)
                (site / "small").write_bytes(b"small\n")
                (site / "large").write_bytes(LARGE)
                check(f"{loop}: {make.__name__} as the origin", lambda: origin(loop, make, folder, collector))
    return totals()


if __name__ == "__main__":
    sys.exit(main())
