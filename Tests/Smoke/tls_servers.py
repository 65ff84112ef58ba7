# SPDX-License-Identifier: MIT
"""Our client against servers of other projects: openssl s_server, nginx and stunnel. Also reloading a certificate of our server."""
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from report import check
from server import BINARIES, Server, expect
from tls_clients import DATA, VERSIONS
from tls_peer import Peer, file, settings


def listening_port(process, within=20):
    """The port on which a process listens, from the system's table of sockets."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        expect(process.poll() is None, f"{process.args[0]} has ended with {process.poll()}")
        try:
            links = {os.readlink(link) for link in Path(f"/proc/{process.pid}/fd").iterdir()}
        except FileNotFoundError:
            continue
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in links:
                return int(fields[1].split(":")[1], 16)
        time.sleep(0.01)
    expect(False, f"{process.args[0]} does not listen")


class Program:
    """A server of another project, which is stopped at the end."""

    def __init__(self, *command, port=None, **options):
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, **options)
        self.port = port or listening_port(self.process)

    def stop(self):
        """Stops the program if it runs, and returns what it has written to stderr."""
        if self.process.poll() is None:
            self.process.terminate()
        errors = self.process.stderr.read().decode(errors="replace")
        self.process.wait()
        return errors

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.stop()


def client(loop, port, *arguments, status=0):
    """Runs our client. Returns its lines."""
    result = subprocess.run([BINARIES / "tls-client", "--loop", loop, "--port", str(port), "--ca", file("ca.pem"), *arguments],
                            capture_output=True, text=True, timeout=600)
    expect(result.returncode == status, f"the client ended with {result.returncode}: {result.stdout}{result.stderr}")
    return result.stdout if status == 0 else result.stderr


def s_server(*arguments, certificate="server", **options):
    return Program("openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", file(f"{certificate}.pem"), "-key",
                   file(f"{certificate}.key"), *arguments, **options)


def s_server_bytes(loop, version, folder):
    """16 MiB each way at once: s_server sends its input, and writes what it receives."""
    sent, received = Path(folder) / "sent", Path(folder) / "received"
    sent.write_bytes(DATA)
    from_server = DATA[::-1]
    with s_server("-quiet", "-naccept", "1", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        parts = []
        writer = threading.Thread(target=lambda: server.process.stdin.write(from_server) or server.process.stdin.flush())
        reader = threading.Thread(target=lambda: parts.append(server.process.stdout.read()))
        writer.start()
        reader.start()
        said = client(loop, server.port, "--input", sent, "--output", received, "--count", str(len(DATA)), "--version", version)
        writer.join()
        reader.join()
    expect(received.read_bytes() == from_server, "the client received other bytes")
    expect(parts[0] == DATA, f"s_server received {len(parts[0])} bytes, or others")
    return said.strip()


def s_server_resumes(loop, version):
    """Four connections: the sessions after the first are resumed. Then s_server sends no tickets, and none is."""
    request = file("request")
    Path(request).write_text("GET / HTTP/1.0\r\n\r\n")
    for tickets, expected in [([], ["new", "resumed", "resumed", "resumed"]), (["-no_ticket", "-no_cache"], ["new"] * 4)]:
        with s_server("-www", *tickets, stdout=subprocess.DEVNULL) as server:
            said = client(loop, server.port, "--input", request, "--connections", "4", "--version", version)
            found = [line.rsplit(" ", 1)[1] for line in said.splitlines()]
            expect(found == expected, f"{found}, not {expected}")


def s_server_requires(loop, version):
    """s_server requires a client certificate: it accepts ours, and refuses a client without, or with another CA's."""
    request = file("request")
    Path(request).write_text("GET / HTTP/1.0\r\n\r\n")
    own = ["--cert", file("client.pem"), "--key", file("client.key")]
    stranger = ["--cert", file("stranger-client.pem"), "--key", file("stranger-client.key")]
    required = {"1.2": "alert: ", "1.3": "certificate required: "}
    with s_server("-www", "-Verify", "1", "-verify_return_error", "-CAfile", file("ca.pem"), stdout=subprocess.DEVNULL) as server:
        def refused(word, *arguments):
            said = client(loop, server.port, "--input", request, "--version", version, *arguments, status=1)
            expect(said.startswith(f"Error: {word}"), f"not {word}: {said}")

        client(loop, server.port, "--input", request, "--version", version, *own)
        refused(required[version])
        refused("alert: the peer refused the connection with the alert \"unknown CA\"", *stranger)


class Nginx(Program):
    """nginx with HTTPS on one port, HTTPS with client certificates on the second, and a TLS stream on the third.

    The sockets listen before nginx starts, and nginx inherits them, so no port is guessed.
    """

    def __init__(self, folder, target):
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        for listener in listeners:
            listener.setblocking(False)
        self.web, self.strict, self.stream = [listener.getsockname()[1] for listener in listeners]
        module = next((path for path in Path("/usr/lib/nginx/modules").glob("ngx_stream_module.so")), None)
        common = f"ssl_certificate {file('rsa.pem')}; ssl_certificate_key {file('rsa.key')}; ssl_protocols TLSv1.2 TLSv1.3;"
        Path(folder, "nginx.conf").write_text(f"""
            load_module {module}; daemon off; pid {folder}/nginx.pid; error_log stderr;
            events {{}}
            http {{
                access_log off; {common} root {folder}; default_type text/plain;
                client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
                uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
                server {{
                    listen 127.0.0.1:{self.web} ssl; ssl_session_cache shared:sessions:1m;
                    location = /about {{ return 200 "resumed: $ssl_session_reused, $ssl_server_name, $ssl_protocol\\n"; }}
                }}
                server {{
                    listen 127.0.0.1:{self.strict} ssl; ssl_client_certificate {file('ca.pem')}; ssl_verify_client on;
                    location = /about {{ return 200 "subject: $ssl_client_s_dn\\n"; }}
                }}
            }}
            stream {{ server {{ listen 127.0.0.1:{self.stream} ssl; {common} proxy_pass 127.0.0.1:{target}; }} }}
        """)
        inherited = ";".join(str(listener.fileno()) for listener in listeners) + ";"
        super().__init__("nginx", "-c", f"{folder}/nginx.conf", "-p", str(folder), "-e", "stderr", port=1,
                         pass_fds=[listener.fileno() for listener in listeners], env={**os.environ, "NGINX": inherited})
        for listener in listeners:
            listener.close()


def nginx_checks(loop, folder):
    """HTTPS with a large answer, resumption, ALPN, client certificates, and an echo through a TLS stream."""
    os.chmod(folder, 0o755)
    large, request, output = Path(folder, "large"), Path(folder, "request"), Path(folder, "output")
    large.write_bytes(DATA)

    def fetch(port, path, *arguments, **options):
        request.write_text(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        said = client(loop, port, "--input", request, "--output", output, *arguments, **options)
        return said, output.read_bytes()

    def download(version):
        said, answer = fetch(nginx.web, "/large", "--version", version, "--alpn", "http/1.1")
        expect(answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"\r\n\r\n" + DATA), f"{len(answer)} bytes, or others")
        expect(", http/1.1, new" in said, said)
        return said.strip()

    def resumes(version):
        said, answer = fetch(nginx.web, "/about", "--version", version, "--connections", "3")
        expect(re.findall(r"\w+$", said, re.M) == ["new", "resumed", "resumed"], said)
        expect(re.findall(rb"resumed: ([r.]), localhost", answer) == [b".", b"r", b"r"], f"{answer}")

    def certificates(version):
        own = ["--cert", file("client.pem"), "--key", file("client.key")]
        _, answer = fetch(nginx.strict, "/about", "--version", version, *own)
        expect(b"subject: CN=client,O=swift-reactive" in answer, f"{answer}")
        _, answer = fetch(nginx.strict, "/about", "--version", version)
        expect(b"No required SSL certificate was sent" in answer, f"{answer}")

    def echo(version):
        # After our close_notify, nginx ends its stream without the close_notify that RFC 5246 and RFC 8446 require.
        said = client(loop, nginx.stream, "--input", large, "--output", output, "--count", str(len(DATA)), "--version",
                      version, status=1)
        expect(output.read_bytes() == DATA, f"other bytes came back: {said}")
        expect(said.startswith("Error: truncated: "), said)
        return "nginx ends without close_notify, and our client reports that"

    with Server("echo-server", "--loop", loop, "--port", "0", "--quiet") as target, Nginx(folder, target.port) as nginx:
        for version in VERSIONS:
            check(f"{loop}: TLS {version}: nginx, HTTPS", lambda: download(version))
            check(f"{loop}: TLS {version}: nginx, resumption", lambda: resumes(version))
            check(f"{loop}: TLS {version}: nginx, client certificates", lambda: certificates(version))
            check(f"{loop}: TLS {version}: nginx, stream", lambda: echo(version))


def stunnel_checks(loop, folder):
    """An echo through stunnel, with and without client certificates, and with a half-close."""
    sent, output = Path(folder, "sent"), Path(folder, "output")
    sent.write_bytes(DATA)
    own = ["--cert", file("client.pem"), "--key", file("client.key")]

    def stunnel(target, *lines):
        path = Path(folder, "stunnel.conf")
        path.write_text("\n".join(["foreground = yes", "pid =", "debug = notice", "[echo]", "accept = 127.0.0.1:0",
                                   f"connect = 127.0.0.1:{target.port}", f"cert = {file('server.pem')}",
                                   f"key = {file('server.key')}", *lines]) + "\n")
        return Program("stunnel", str(path))

    def echo(server, *arguments):
        said = client(loop, server.port, "--input", sent, "--output", output, *arguments)
        expect(output.read_bytes() == DATA, f"{output.stat().st_size} bytes came back, or others")
        return said.strip()

    def half_close(server):
        """stunnel 5.68 sometimes loses the last bytes: when the plain connection has ended in both directions, it reads no more
        ("Read socket closed (HUP)"). So one of ten attempts must be complete, and the others must be correct so far."""
        for attempt in range(1, 11):
            said = client(loop, server.port, "--input", sent, "--output", output, "--version", "1.3", "--half-close")
            back = output.read_bytes()
            expect(DATA.startswith(back), "other bytes came back")
            if len(back) == len(DATA):
                return f"attempt {attempt}: {said.strip()}"
        expect(False, "ten attempts were incomplete")

    with Server("echo-server", "--loop", loop, "--port", "0", "--quiet") as target:
        with stunnel(target) as server:
            for version in VERSIONS:
                check(f"{loop}: TLS {version}: stunnel, echo",
                      lambda: echo(server, "--version", version, "--count", str(len(DATA))))
            check(f"{loop}: TLS 1.3: stunnel, half-close", lambda: half_close(server))
        with stunnel(target, "verifyChain = yes", f"CAfile = {file('ca.pem')}") as server:
            for version in VERSIONS:
                check(f"{loop}: TLS {version}: stunnel, client certificates",
                      lambda: echo(server, "--version", version, "--count", str(len(DATA)), *own))


def checks(loop, folder):
    for version in VERSIONS:
        check(f"{loop}: TLS {version}: openssl s_server, both ways", lambda: s_server_bytes(loop, version, folder))
        check(f"{loop}: TLS {version}: openssl s_server, resumption", lambda: s_server_resumes(loop, version))
        check(f"{loop}: TLS {version}: openssl s_server, client certificates", lambda: s_server_requires(loop, version))
    nginx_checks(loop, folder)
    stunnel_checks(loop, folder)


def reload(loop, folder):
    """After SIGHUP new connections get the new certificate. A broken file changes nothing."""
    chain, key = Path(folder, "chain.pem"), Path(folder, "chain.key")

    def install(name):
        shutil.copy(file(f"{name}.pem"), chain)
        shutil.copy(file(f"{name}.key"), key)

    def hang_up(server, begin):
        server.process.send_signal(signal.SIGHUP)
        line = server.process.stdout.readline()
        expect(line.startswith(begin), line)

    def open_peer(server):
        peer = Peer(server, settings()).handshake()
        peer.exchange(b"hello")
        return peer, peer.tls.getpeercert()["subject"][1][0][1]

    install("server")
    with Server("echo-server", "--loop", loop, "--port", "0", "--quiet", "--threads", "2", "--tls-cert", str(chain),
                "--tls-key", str(key)) as server:
        first, name = open_peer(server)
        expect(name == "server", name)
        install("rsa")
        hang_up(server, "reloaded")
        second, name = open_peer(server)
        expect(name == "rsa", name)
        chain.write_text("nothing")
        hang_up(server, "cannot reload")
        third, name = open_peer(server)
        expect(name == "rsa", name)
        for peer in [first, second, third]:
            peer.exchange(b"still here")
            peer.finish()
            peer.rest()
            peer.close()
