# SPDX-License-Identifier: MIT
"""What must fail, and how: the error of our side, and the alert that the other side receives (RFC 5246, RFC 8446 section 6.2)."""
import contextlib
import os
import socket
import ssl
import subprocess
import threading

import command_line
import tls_servers
from report import check
from server import Failed, Server, expect
from tls_clients import DATA, VERSIONS, gnutls, refused, s_client, tls_echo
from tls_peer import Peer, file, settings

ALERT = 21
FATAL = 2


def fails(command, *words):
    """The program fails, and prints one of these texts."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    said = (result.stdout + result.stderr).decode(errors="replace")
    expect(result.returncode != 0, f"{command[0]} accepts the server")
    expect(any(word in said for word in words), f"none of {words}: {said[-400:]}")


def still_serves(server):
    with Peer(server, settings()).handshake() as peer:
        peer.exchange(b"hello")
        peer.finish()
        expect(peer.rest() == b"", "bytes after the end")


def bad_server(loop, certificate):
    """A certificate of our server that each client must refuse: expired, for another host, or of an unknown CA."""
    words = {
        "expired": ["certificate has expired", "certificate chain uses expired certificate"],
        "wrong": ["Hostname mismatch", "hostname mismatch", "does not match hostname", "name in the certificate does not match"],
        "stranger": ["unable to get local issuer certificate", "issuer is unknown"],
    }[certificate]
    with tls_echo(loop, certificate=certificate) as server:
        fails(s_client(server), *words)
        fails(gnutls(server), *words)
        fails(["curl", "--cacert", file("ca.pem"), f"https://localhost:{server.port}/"], "SSL certificate problem: ",
              "no alternative certificate subject name")
        if certificate != "wrong":  # redis-cli does not compare the host's name.
            fails(["redis-cli", "-p", str(server.port), "--tls", "--cacert", file("ca.pem"), "PING"],
                  "certificate verify failed", "SSL_connect failed")
        for version in VERSIONS:
            with Peer(server, settings(version)) as peer:
                try:
                    peer.handshake()
                    raise Failed("Python accepts the server")
                except ssl.SSLCertVerificationError as error:
                    expect(any(word in str(error) for word in words), str(error))
        # The refusals have not harmed the server.
        with Peer(server, insecure()).handshake() as peer:
            peer.exchange(b"hello")


def insecure():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def bad_server_of_others(loop, certificate, version):
    """Our client refuses s_server's certificate with its code, and s_server receives the alert that belongs to it."""
    code, alert = {
        "expired": ("certificate expired", "certificate expired"),
        "wrong": ("wrong host", "bad certificate"),
        "stranger": ("unknown issuer", "unknown ca"),
    }[certificate]
    flag = "-tls1_2" if version == "1.2" else "-tls1_3"
    with tls_servers.s_server("-naccept", "1", flag, certificate=certificate, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as server:
        said = tls_servers.client(loop, server.port, "--count", "0", status=1)
        server.process.wait(30)
        heard = server.stop()
    expect(said.startswith(f"Error: {code}: "), said)
    expect(f"alert {alert}" in heard, heard)
    return f"{code}; the alert is \"{alert}\""


def no_common_version(loop):
    """s_server speaks only another version: both sides name the reason."""
    with tls_servers.s_server("-tls1_2", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        said = tls_servers.client(loop, server.port, "--version", "1.3", status=1)
        expect(said.startswith("Error: no common version: "), said)
    old = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
    with tls_echo(loop) as server:
        fails(s_client(server, *old), "alert protocol version")
        still_serves(server)


def no_common_cipher(loop):
    with tls_echo(loop) as server:
        refused(server, settings("1.2", ciphers="AES128-SHA"), "HANDSHAKE_FAILURE")
        still_serves(server)


def alert_of(server, data, end=False):
    """Sends bytes, and returns the level and description of the alert that the server sends before it ends. None: no alert."""
    with socket.create_connection(server.address, timeout=20) as peer:
        heard = b""
        # A server that has seen enough may reset the connection before all is sent.
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            peer.sendall(data)
            if end:
                peer.shutdown(socket.SHUT_WR)
        try:
            while chunk := peer.recv(65536):
                heard += chunk
        except ConnectionResetError:
            pass
    return (heard[5], heard[6]) if len(heard) >= 7 and heard[0] == ALERT else None


def not_tls(loop):
    """Bytes that are not TLS, on a TLS port: the server ends the connection, and goes on to serve others."""
    unexpected, version, decode, overflow = (FATAL, 10), (FATAL, 70), (FATAL, 50), (FATAL, 22)
    hello = b"\x16\x03\x01"
    with tls_echo(loop) as server:
        said = []
        for name, data, allowed in [
            # OpenSSL sends no alert to a peer that does not speak TLS. ReactiveTLS does.
            ("HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", [unexpected]),
            ("an SMTP greeting", b"EHLO localhost\r\nQUIT\r\nNOOP\r\n", [unexpected]),
            # A reset may overtake the alert, because the server does not read all of these bytes.
            ("random bytes", b"\xff\xfe" * 4000, [None, unexpected, version]),
            ("zeros", bytes(20_000), [None, unexpected, version]),
            ("a record that is too long", hello + b"\xff\xff" + bytes(70_000), [overflow]),
            ("an empty hello", hello + b"\x00\x04\x01\x00\x00\x00", [decode]),
            ("data before the hello", b"\x17\x03\x03\x00\x05hello", [unexpected]),
            ("a hello of SSL 2", b"\x80\x2e\x01\x00\x02" + bytes(44), [None, version, decode, unexpected, (FATAL, 40)]),
        ]:
            found = alert_of(server, data)
            expect(found in allowed, f"{name}: {found}, not one of {allowed}")
            said.append(f"{name}: {found[1] if found else 'none'}")
            still_serves(server)
        # The peer ends its stream in the middle of a hello. There is nobody to send an alert to.
        alert_of(server, hello + b"\x01\x00\x01", end=True)
        still_serves(server)
        return "alerts: " + ", ".join(said)


def plain_port(loop):
    """Our client on a port without TLS: an echo server, which returns the hello, and a server that greets."""
    with Server("echo-server", "--loop", loop, "--port", "0", "--quiet") as server:
        said = tls_servers.client(loop, server.port, status=1)
        expect(said.startswith("Error: malformed: ") or said.startswith("Error: not TLS: "), said)
    with socket.create_server(("127.0.0.1", 0)) as greeter:
        def greet():
            peer, _ = greeter.accept()
            peer.sendall(b"220 mail.example ESMTP\r\n")
            while peer.recv(65536):
                pass
            peer.close()

        thread = threading.Thread(target=greet)
        thread.start()
        said = tls_servers.client(loop, greeter.getsockname()[1], status=1)
        thread.join()
        expect(said.startswith("Error: not TLS: "), said)


def truncated(loop, version):
    """The server's stream ends without close_notify: our client reports it, and does not mistake it for the end."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file("server.pem"), file("server.key"))
    context.maximum_version = ssl.TLSVersion.TLSv1_2 if version == "1.2" else ssl.TLSVersion.TLSv1_3
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            peer, _ = listener.accept()
            tls = context.wrap_socket(peer, server_side=True)
            tls.sendall(b"a part")
            os.close(tls.detach())

        thread = threading.Thread(target=serve)
        thread.start()
        said = tls_servers.client(loop, listener.getsockname()[1], status=1)
        thread.join()
    expect(said.startswith("Error: truncated: "), said)


def abrupt_clients(loop):
    """Clients that leave in every state of the handshake and of a stream: only their own connection ends."""
    with tls_echo(loop) as server:
        still_serves(server)
        base = server.descriptors()
        with Peer(server, settings()) as peer:
            try:
                peer.tls.do_handshake()
            except ssl.SSLWantReadError:
                hello = peer.outgoing.read()
        for count in range(0, len(hello), 37):
            alert_of(server, hello[:count], end=True)
        for version in VERSIONS:
            for sent in [0, 1, 100_000]:
                with Peer(server, settings(version)).handshake() as peer:
                    peer.tls.write(DATA[:sent + 1])
                    peer.flush()
        server.settles_at(base)
        still_serves(server)


def options(loop):
    """Both options or neither, and files that can be used."""
    expect_usage = command_line.expect_usage
    expect_usage(["--tls-cert", file("server.pem")], "--tls-key")
    expect_usage(["--tls-key", file("server.key")], "--tls-cert")
    expect_usage(["--tls-client-ca", file("ca.pem")], "--tls-cert")
    start = ["--loop", loop, "--port", "0"]

    def refusal(certificate, key, *words):
        command_line.expect_refusal(command_line.run(*start, "--tls-cert", certificate, "--tls-key", key), *words)

    refusal("missing.pem", file("server.key"), "cannot read missing.pem")
    refusal(file("server.key"), file("server.key"), "does not contain a certificate")
    refusal(file("server.pem"), file("server.pem"), "does not contain a private key")
    refusal(file("server.pem"), file("rsa.key"), "does not belong to the certificate")


def checks(loop, folder):
    check(f"{loop}: files and options", lambda: options(loop))
    for certificate in ["expired", "wrong", "stranger"]:
        check(f"{loop}: clients refuse our server's certificate: {certificate}", lambda: bad_server(loop, certificate))
        for version in VERSIONS:
            check(f"{loop}: TLS {version}: our client refuses a certificate: {certificate}",
                  lambda: bad_server_of_others(loop, certificate, version))
    check(f"{loop}: no common version", lambda: no_common_version(loop))
    check(f"{loop}: no common cipher", lambda: no_common_cipher(loop))
    check(f"{loop}: no TLS on a TLS port", lambda: not_tls(loop))
    check(f"{loop}: TLS on a plain port", lambda: plain_port(loop))
    for version in VERSIONS:
        check(f"{loop}: TLS {version}: an end without close_notify", lambda: truncated(loop, version))
    check(f"{loop}: clients that leave at any moment", lambda: abrupt_clients(loop))
