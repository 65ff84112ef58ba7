# SPDX-License-Identifier: MIT
"""Clients of other projects against our servers with TLS: 16 MiB each way, half-close, resumption, client certificates."""
import asyncio
import http.server
import os
import re
import ssl
import subprocess
import threading
from pathlib import Path

from report import run
from server import Server, expect
from tls_peer import Peer, file, settings

SIZE = int(os.environ.get("SMOKE_TLS_BYTES", 16 * 1024 * 1024))
# In the first column of a line these letters are commands of s_client.
DATA = os.urandom(SIZE).translate(bytes.maketrans(b"QRKkB", b"01234"))
VERSIONS = ["1.2", "1.3"]


def through(command, data):
    """Sends through a program, reads the same bytes back, and then ends its input. The program must succeed."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    errors = []
    killer = threading.Timer(900, process.kill)
    killer.start()
    try:
        writer = threading.Thread(target=lambda: process.stdin.write(data) or process.stdin.flush())
        drain = threading.Thread(target=lambda: errors.append(process.stderr.read()))
        writer.start()
        drain.start()
        back = bytearray()
        while len(back) < len(data):
            chunk = process.stdout.read1(1 << 18)
            if not chunk:
                break
            back += chunk
        writer.join()
        process.stdin.close()
        rest = process.stdout.read()
        status = process.wait()
        drain.join()
    finally:
        killer.cancel()
        process.kill()
    said = errors[0].decode(errors="replace")[-300:]
    expect(bytes(back) == data and not rest, f"{len(back)} + {len(rest)} of {len(data)} bytes came back: {said}")
    expect(status == 0, f"{command[0]} ended with {status}: {said}")


def s_client(server, *arguments):
    return ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-servername", "localhost",
            "-verify_hostname", "localhost", "-verify_return_error", "-CAfile", file("ca.pem"), *arguments]


def s_client_bytes(server, version):
    flag = "-tls1_2" if version == "1.2" else "-tls1_3"
    through(s_client(server, flag, "-quiet", "-no_ign_eof"), DATA)


def s_client_reconnect(server):
    """Five further connections resume the session of the first."""
    said = run(*s_client(server, "-tls1_2", "-reconnect"), stdin=subprocess.DEVNULL).decode()
    expect(len(re.findall(r"^Reused, TLSv1.2", said, re.M)) == 5, said[-500:])


def s_client_session(server, folder):
    """A session of TLS 1.3 in a file is resumed by another process."""
    session = Path(folder) / "session.pem"
    for how, word in [("-sess_out", "New"), ("-sess_in", "Reused")]:
        process = subprocess.Popen(s_client(server, "-tls1_3", how, session), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said = b""
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        while b"\nhello\n" not in said:
            chunk = process.stdout.read1(1 << 16)
            expect(chunk, f"s_client ended: {said[-300:]}")
            said += chunk
        process.stdin.close()
        said += process.stdout.read()
        expect(process.wait() == 0, "s_client failed")
        expect(re.search(rb"^%s, TLSv1.3" % word.encode(), said, re.M), f"not {word}: {said[:3000].decode()}")


def gnutls(server, *arguments):
    return ["gnutls-cli", "--x509cafile", file("ca.pem"), "--port", str(server.port), *arguments, "localhost"]


def gnutls_bytes(server, version, folder, data=DATA):
    priority = f"NORMAL:-VERS-ALL:+VERS-TLS{version}"
    through(gnutls(server, "--logfile", f"{folder}/gnutls.log", "--priority", priority), data)


def gnutls_resumes(server):
    said = subprocess.run(gnutls(server, "--resume", "--waitresumption", "--priority", "NORMAL:-VERS-ALL:+VERS-TLS1.3"),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stdout
    expect("This is a resumed session" in said, said[-500:])


def python_bytes(server, version):
    with Peer(server, settings(version)).handshake() as peer:
        peer.exchange(DATA)
        peer.finish()
        expect(peer.rest() == b"", "bytes after the end")
        return f"{peer.tls.version()}, {peer.tls.cipher()[0]}"


def half_close(server):
    """TLS 1.3: the client ends its stream first, and then reads everything and the server's close_notify."""
    with Peer(server, settings("1.3")).handshake() as peer:
        peer.exchange(b"first")
        peer.tls.write(DATA[:60_000])
        peer.flush()
        peer.finish()
        expect(peer.rest() == DATA[:60_000], "the echo after the half-close differs")


def close_of_1_2(server):
    """TLS 1.2: close_notify ends both directions, and the server answers with its own."""
    with Peer(server, settings("1.2")).handshake() as peer:
        peer.exchange(b"first")
        peer.finish()
        expect(peer.rest() == b"", "bytes after the end")


def python_resumes(server, version):
    context = settings(version)
    with Peer(server, context).handshake() as peer:
        peer.exchange(b"one")
        expect(not peer.tls.session_reused, "the first session is not new")
        session = peer.tls.session
        peer.finish()
        peer.rest()
    with Peer(server, context, session).handshake() as peer:
        peer.exchange(b"two")
        expect(peer.tls.session_reused, "the session was not resumed")
        peer.finish()
        peer.rest()


def asyncio_bytes(server, version):
    async def talk():
        reader, writer = await asyncio.open_connection(*server.address, ssl=settings(version),
                                                       server_hostname="localhost")

        async def send():
            for start in range(0, len(DATA), 100_000):
                writer.write(DATA[start:start + 100_000])
                await writer.drain()

        _, back = await asyncio.gather(send(), reader.readexactly(len(DATA)))
        expect(back == DATA, "other bytes came back")
        writer.close()
        await writer.wait_closed()

    asyncio.run(asyncio.wait_for(talk(), 600))


class Mirror(http.server.BaseHTTPRequestHandler):
    """Answers with the body of the request. It speaks plain HTTP behind the forwarder."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def curl(loop, version, folder, *arguments):
    """curl, HTTPS, and a plain HTTP server behind the port forwarder, which terminates TLS."""
    source = Path(folder) / "curl.in"
    source.write_bytes(DATA)
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    try:
        with Server("port-forward", "--loop", loop, "--listen", "127.0.0.1:0", "--target",
                    f"127.0.0.1:{web.server_port}", "--tls-cert", file("rsa.pem"), "--tls-key", file("rsa.key")) as server:
            back = run("curl", "--silent", "--show-error", "--cacert", file("ca.pem"), f"--tlsv{version}", "--tls-max",
                       version, "--upload-file", source, "-H", "Expect:", *arguments, f"https://localhost:{server.port}/",
                       f"https://localhost:{server.port}/", "--upload-file", source)
    finally:
        web.shutdown()
        web.server_close()
    expect(back == DATA + DATA, f"{len(back)} bytes came back, not twice {len(DATA)}")
    return "two requests on one connection"


def redis(loop):
    """redis-cli and redis-benchmark with --tls, and a value of 16 MiB each way."""
    with Server("key-value-server", "--loop", loop, "--port", "0", "--tls-cert", file("server.pem"), "--tls-key",
                file("server.key"), "--max-request", str(2 * SIZE), "--max-reply", str(2 * SIZE)) as server:
        expect("redis-cli --tls" in server.first_line, server.first_line)
        options = ["-p", str(server.port), "--tls", "--cacert", file("ca.pem")]

        def cli(*words, **more):
            return run("redis-cli", *options, *words, **more)

        expect(cli("PING") == b"PONG\n", "no PONG")
        expect(cli("-x", "SET", "large", input=DATA) == b"OK\n", "SET failed")
        expect(cli("GET", "large") == DATA + b"\n", "GET differs")
        said = run("redis-benchmark", *options, "-t", "set,get", "-n", "2000", "-c", "20", "-P", "4", "--csv").decode()
        expect(said.count('"') > 8, said)


def client_certificates(loop, version):
    """A server that requires client certificates accepts those of its CA, and refuses others with the alert of the RFC."""
    alerts = {"1.2": "HANDSHAKE_FAILURE", "1.3": "CERTIFICATE_REQUIRED"}
    with tls_echo(loop, "--tls-client-ca", file("ca.pem")) as server:
        with Peer(server, settings(version, client="client")).handshake() as peer:
            peer.exchange(b"hello")
            peer.finish()
            peer.rest()
        flag = "-tls1_2" if version == "1.2" else "-tls1_3"
        through(s_client(server, flag, "-quiet", "-no_ign_eof", "-cert", file("client.pem"), "-key", file("client.key")),
                DATA[:100_000])
        through(["gnutls-cli", "--x509cafile", file("ca.pem"), "--x509certfile", file("client.pem"), "--x509keyfile",
                 file("client.key"), "--port", str(server.port), "--logfile", os.devnull, "--priority",
                 f"NORMAL:-VERS-ALL:+VERS-TLS{version}", "localhost"], DATA[:100_000])
        refused(server, settings(version), alerts[version])
        refused(server, settings(version, client="stranger-client"), "UNKNOWN_CA")


def refused(server, context, alert):
    """The server ends the connection with this alert."""
    with Peer(server, context) as peer:
        try:
            peer.handshake()
            peer.exchange(b"hello")
        except ssl.SSLError as error:
            expect(alert in (error.reason or ""), f"the alert is {error.reason}, not {alert}")
            return
        expect(False, f"no alert {alert}")


def tls_echo(loop, *arguments, certificate="server"):
    return Server("echo-server", "--loop", loop, "--port", "0", "--quiet", "--tls-cert", file(f"{certificate}.pem"),
                  "--tls-key", file(f"{certificate}.key"), *arguments)
