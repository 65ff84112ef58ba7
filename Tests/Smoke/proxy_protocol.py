# SPDX-License-Identifier: MIT
"""The PROXY protocol between haproxy, the port forwarder, the echo server and the HTTP server, on every loop.

    python3 Tests/Smoke/proxy_protocol.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). Needs haproxy and openssl of Debian. SMOKE_LOOPS selects the loops (all three).
Prints one line for each check, and exits with 1 if one failed.
"""
import contextlib
import os
import socket
import ssl
import sys
import tempfile
from pathlib import Path

from report import check, run, totals
from server import Failed, Server, expect, free_port, started

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
# Each client has its own address, which only a PROXY header can carry to the server.
CLIENT = "127.0.7.9"


@contextlib.contextmanager
def haproxy(folder, target, option, mode):
    """Starts haproxy in front of a server. Yields its address."""
    port = free_port()
    config = Path(folder, "haproxy.conf")
    config.write_text(f"""
        defaults
            mode {mode}
            timeout connect 5s
            timeout client 60s
            timeout server 60s
        listen front
            bind 127.0.0.1:{port}
            server one {target[0]}:{target[1]} {option}
        """.rstrip(" "))
    with started(["haproxy", "-f", str(config)], port):
        yield "127.0.0.1", port


def connect(address):
    return socket.create_connection(address, timeout=60, source_address=(CLIENT, 0))


def name(client):
    return "%s:%d" % client.getsockname()


def echo(address):
    """Sends more than a header's size, and returns the client's address."""
    data = os.urandom(100_000)
    with connect(address) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        back = b"".join(iter(lambda: client.recv(65536), b""))
        expect(back == data, f"{len(back)} bytes came back")
        return name(client)


def peer(address):
    """The address that the HTTP server reports, and the client's address."""
    with connect(address) as client:
        client.sendall(b"GET /peer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(65536), b""))
        return answer.partition(b"\r\n\r\n")[2].decode().strip(), name(client)


def logged(server, clients):
    """Stops the echo server, and checks that its log names the clients."""
    server.process.terminate()
    _, errors = server.process.communicate(timeout=60)
    for client in clients:
        expect(f"peer={client} " in errors, f"the log does not name {client}:\n{errors[-2000:]}")


def behind_haproxy(loop, folder, option):
    server = Server("echo-server", "--loop", loop, "--port", "0", "--threads", "2", "--accept-proxy", "127.0.0.1")
    with haproxy(folder, server.address, option, "tcp") as address:
        clients = [echo(address) for _ in range(20)]
    logged(server, clients)
    server = Server("http-server", "--loop", loop, "--port", "0", "--accept-proxy", "127.0.0.0/8")
    try:
        with haproxy(folder, server.address, option, "http") as address:
            for _ in range(20):
                reported, client = peer(address)
                expect(reported == client, f"{reported} instead of {client}")
    finally:
        server.stop()


def with_tls(loop, folder):
    """The header precedes the handshake of TLS."""
    certificate, key = str(Path(folder, "certificate.pem")), str(Path(folder, "key.pem"))
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-keyout", key, "-out", certificate)
    server = Server("echo-server", "--loop", loop, "--port", "0", "--accept-proxy", "127.0.0.1",
                    "--tls-cert", certificate, "--tls-key", key)
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    with haproxy(folder, server.address, "send-proxy-v2", "tcp") as address, connect(address) as plain:
        client = name(plain)
        with context.wrap_socket(plain) as secure:
            secure.sendall(b"hello")
            expect(secure.recv(5) == b"hello", "another echo")
    logged(server, [client])


def chain(loop, version):
    """A forwarder that sends headers, one that accepts and sends them, and the echo server."""
    server = Server("echo-server", "--loop", loop, "--port", "0", "--accept-proxy", "127.0.0.1")
    second = Server("port-forward", "--loop", loop, "--listen", "127.0.0.1:0", "--target", f"127.0.0.1:{server.port}",
                    "--accept-proxy", "127.0.0.1", "--send-proxy", version)
    first = Server("port-forward", "--loop", loop, "--listen", "127.0.0.1:0", "--target", f"127.0.0.1:{second.port}",
                   "--send-proxy", version)
    try:
        clients = [echo(first.address) for _ in range(20)]
    finally:
        first.stop()
        second.stop()
    logged(server, clients)


def untrusted(loop):
    """A peer outside of the range is reset, and the server continues to serve the proxy."""
    server = Server("echo-server", "--loop", loop, "--port", "0", "--accept-proxy", "127.0.0.1")
    header = b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"
    for data in (header + b"hello", b"hello", b""):
        # The reset may arrive at any moment, also before connect() returns.
        with contextlib.suppress(ConnectionResetError, BrokenPipeError), connect(server.address) as client:
            client.sendall(data)
            received = client.recv(1)
            raise Failed(f"the server has not reset the peer, which received {received!r}")
    with socket.create_connection(server.address, timeout=60) as client:
        client.sendall(header + b"hello")
        expect(client.recv(5) == b"hello", "another echo")
    logged(server, ["192.0.2.1:1"])


def main():
    for loop in LOOPS:
        with tempfile.TemporaryDirectory() as folder:
            for option in ("send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options crc32c,unique-id"):
                check(f"{loop}: behind haproxy, {option}", lambda: behind_haproxy(loop, folder, option))
            check(f"{loop}: TLS behind haproxy", lambda: with_tls(loop, folder))
        for version in ("v1", "v2"):
            check(f"{loop}: two forwarders, {version}", lambda: chain(loop, version))
        check(f"{loop}: untrusted peers", lambda: untrusted(loop))
    return totals()


if __name__ == "__main__":
    sys.exit(main())
