# SPDX-License-Identifier: MIT
"""The HTTP server of the examples with clients of other projects, on every loop, plain and with TLS.

    python3 Tests/Smoke/http_clients.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). Needs curl, apache2-utils, wrk, nodejs and openssl of Debian. It
creates .build/certificates. SMOKE_LOOPS selects the loops (all three). Prints one line for each check, and exits with 1 if one failed.
"""
import hashlib
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from report import check, run, totals
from server import ROOT, Server, expect

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
HERE = Path(__file__).resolve().parent
CERTIFICATES = ROOT / ".build/certificates"
DATA = bytes(hashlib.sha256(str(number).encode()).digest()[0] for number in range(65_536)) * 48

NODE = """
const [protocol, port, authority] = process.argv.slice(1);
const client = require(protocol);
const agent = new client.Agent({ keepAlive: true, maxSockets: 4, ca: authority && require('fs').readFileSync(authority) });
const body = Buffer.alloc(1 << 20, 'node');
let left = 40;
for (let number = 0; number < 40; number++) {
  const request = client.request({ host: 'localhost', port, path: '/echo', method: 'POST', agent, servername: 'localhost',
    headers: number % 2 ? { 'Content-Length': body.length } : {} }, response => {
      const parts = [];
      response.on('data', part => parts.push(part));
      response.on('end', () => {
        if (response.statusCode != 200 || !Buffer.concat(parts).equals(body)) { console.error('wrong'); process.exit(1); }
        if (--left == 0) { console.log('40 echoes'); process.exit(0); }
      });
  });
  request.on('error', error => { console.error(error); process.exit(1); });
  request.write(body.subarray(0, 1000));
  request.end(body.subarray(1000));
}
"""


def serve(loop, *arguments):
    return Server("http-server", "--loop", loop, "--port", "0", *arguments)


def curl(server, *arguments, path="/", scheme="http"):
    secure = ["--cacert", CERTIFICATES / "ca.pem"] if scheme == "https" else []
    target = f"{scheme}://localhost:{server.port}{path}"
    return run("curl", "-sS", "--fail-with-body", "--max-time", "60", *secure, *arguments, target)


def curl_checks(server, folder, scheme):
    file = Path(folder, "data")
    file.write_bytes(DATA)
    expect(curl(server, scheme=scheme) == b"hello\n", "another greeting")
    head = curl(server, "-I", scheme=scheme).decode()
    expect(head.startswith("HTTP/1.1 200") and "content-length: 6" in head.lower(), head)
    for name, arguments in {
        "a length": [],
        "chunks": ["-H", "Transfer-Encoding: chunked"],
        "100-continue": ["-H", "Expect: 100-continue"],
        "HTTP/1.0": ["--http1.0"],
    }.items():
        back = curl(server, "--data-binary", f"@{file}", *arguments, path="/echo", scheme=scheme)
        expect(back == DATA, f"with {name}, {len(back)} bytes came back")
    expect(curl(server, path="/bytes/10000000", scheme=scheme) == b"x" * 10_000_000, "other bytes")
    return f"{len(DATA)} bytes each way"


def curl_reuses(server):
    result = subprocess.run(
        ["curl", "-sS", "-w", "%{num_connects} ", *[f"http://localhost:{server.port}/"] * 3],
        capture_output=True, text=True, timeout=60,
    )
    expect(result.stdout.split() == ["hello", "1", "hello", "0", "hello", "0"], result.stdout + result.stderr)


def curl_ticks(server):
    process = subprocess.Popen(["curl", "-sSN", f"http://localhost:{server.port}/ticks"], stdout=subprocess.PIPE)
    expect(process.stdout.read(50) == b"tick\n" * 10, "no ticks")
    process.terminate()
    process.wait(timeout=30)


def ab(server):
    parts = []
    for keeps in [[], ["-k"]]:
        text = run("ab", "-q", "-n", "5000", "-c", "20", *keeps, f"http://127.0.0.1:{server.port}/").decode()
        expect(re.search(r"Complete requests:\s+5000", text) and re.search(r"Failed requests:\s+0", text), text)
        parts.append(re.search(r"Requests per second:\s+([\d.]+)", text)[1])
        if keeps:
            expect(re.search(r"Keep-Alive requests:\s+5000", text), text)
    return f"{parts[0]} requests/s, with keep-alive {parts[1]}"


def wrk(server, folder):
    script = Path(folder, "pipelined.lua")
    script.write_text(
        "init = function() local r = {} for i = 1, 16 do r[i] = wrk.format() end all = table.concat(r) end\n"
        "request = function() return all end\n"
    )
    found = []
    for arguments in [[], ["-s", script]]:
        text = run("wrk", "-t1", "-c50", "-d1s", "--timeout", "10s", *arguments, f"http://127.0.0.1:{server.port}/").decode()
        expect("Socket errors" not in text and "Non-2xx" not in text, text)
        found.append(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    return f"{found[0]} requests/s, pipelined {found[1]}"


def python_client(server, scheme):
    if scheme == "https":
        context = ssl.create_default_context(cafile=CERTIFICATES / "ca.pem")
        connection = http.client.HTTPSConnection("localhost", server.port, timeout=60, context=context)
    else:
        connection = http.client.HTTPConnection("localhost", server.port, timeout=60)
    for number in range(200):
        connection.request("GET", "/")
        response = connection.getresponse()
        expect(response.status == 200 and response.read() == b"hello\n", f"response {number}")
    for options in [{}, {"encode_chunked": True}]:
        body = iter([DATA[:100_000], DATA[100_000:]]) if options else DATA
        headers = {"Transfer-Encoding": "chunked"} if options else {}
        connection.request("POST", "/echo", body=body, headers=headers, **options)
        expect(connection.getresponse().read() == DATA, "another echo")
    connection.request("DELETE", "/nothing")
    response = connection.getresponse()
    expect(response.status == 404 and response.read() == b"", "no 404")


def node(server, scheme):
    authority = [CERTIFICATES / "ca.pem"] if scheme == "https" else []
    return run("node", "-e", NODE, "--", scheme, str(server.port), *authority).decode().strip()


def raw_pipelining(server):
    """100,000 requests of a client that reads only when everything that fits has been sent."""
    count, request = 100_000, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    before = server.memory()
    with socket.create_connection(server.address, timeout=60) as connection:
        sender = threading.Thread(target=connection.sendall, args=(request * count,))
        sender.start()
        time.sleep(1)
        grown = server.memory() - before
        expect(grown < 4 << 20, f"the memory grew by {grown} bytes while the client did not read")
        data, received = b"", 0
        while received < count:
            part = connection.recv(1 << 20)
            expect(part, f"the end after {received} responses")
            data += part
            received += data.count(b"\r\n\r\nhello\n")
            data = data[data.rfind(b"hello\n") + 6:]
        sender.join()
    return f"grew by {grown} bytes"


def drain(loop):
    server = serve(loop, "--grace", "30")
    idle = socket.create_connection(server.address, timeout=60)
    busy = socket.create_connection(server.address, timeout=60)
    busy.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
    part = busy.recv(4096)
    while b"abc" not in part:
        part += busy.recv(4096)
    server.process.terminate()
    expect(idle.recv(100) == b"", "the idle connection was not closed")
    busy.sendall(b"def")
    expect(busy.recv(100) == b"def" and busy.recv(100) == b"", "the busy connection did not finish")
    for connection in [idle, busy]:
        connection.close()
    expect(server.process.wait(timeout=30) == 0, "the server has failed")
    server.process.communicate()


def loop_checks(loop, folder):
    server = serve(loop)
    try:
        check(f"{loop}: curl", lambda: curl_checks(server, folder, "http"))
        check(f"{loop}: curl keeps its connection", lambda: curl_reuses(server))
        check(f"{loop}: curl receives a stream", lambda: curl_ticks(server))
        check(f"{loop}: ab", lambda: ab(server))
        check(f"{loop}: wrk", lambda: wrk(server, folder))
        check(f"{loop}: Python http.client", lambda: python_client(server, "http"))
        check(f"{loop}: 100,000 pipelined requests", lambda: raw_pipelining(server))
        if shutil.which("node"):
            check(f"{loop}: Node", lambda: node(server, "http"))
    finally:
        check(f"{loop}: stop", lambda: server.stop() and "")
    check(f"{loop}: drain", lambda: drain(loop))
    files = ["--tls-cert", CERTIFICATES / "server.pem", "--tls-key", CERTIFICATES / "server.key"]
    server = serve(loop, *files)
    try:
        check(f"{loop}: TLS: curl", lambda: curl_checks(server, folder, "https"))
        check(f"{loop}: TLS: Python http.client", lambda: python_client(server, "https"))
        if shutil.which("node"):
            check(f"{loop}: TLS: Node", lambda: node(server, "https"))
    finally:
        check(f"{loop}: TLS: stop", lambda: server.stop() and "")


def main():
    run("bash", HERE / "certificates.sh")
    with tempfile.TemporaryDirectory() as folder:
        for loop in LOOPS:
            loop_checks(loop, folder)
    sys.exit(totals())


if __name__ == "__main__":
    main()
