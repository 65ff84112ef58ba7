# SPDX-License-Identifier: MIT
"""The programs of Docs/Gallery.md, on every loop: each does what it is for, and ends in order on SIGTERM.

    python3 Tests/Smoke/gallery.py [NAME...]

Uses the programs of Examples/.build/release (or of SMOKE_BINARIES), which choose their loop by LOOP. SMOKE_LOOPS selects the loops (all
three), and NAME the programs. Prints one line for each check, and exits with 1 if one failed.
"""
import collections
import contextlib
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import early_ends
from report import check, totals
from server import BINARIES, ROOT, Failed, Server, expect, serving

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
PATIENCE = 20


class Program:
    """Runs a program that does not listen. Its lines, and those of its standard error, arrive in a queue each."""

    def __init__(self, name, *arguments):
        self.process = subprocess.Popen(
            [BINARIES / name, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.output, self.errors = self._lines(self.process.stdout), self._lines(self.process.stderr)

    @staticmethod
    def _lines(stream):
        lines = queue.Queue()

        def read():
            for line in stream:
                lines.put(line.rstrip("\n"))
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        return lines

    def reads(self, pattern, lines=None):
        """Waits for the next line, which the pattern has to match."""
        try:
            line = (lines or self.output).get(timeout=PATIENCE)
        except queue.Empty:
            raise Failed(f"no line came that matches {pattern!r}") from None
        found = re.search(pattern, line or "")
        expect(found, f"it printed {line!r}, which {pattern!r} does not match")
        return found

    def ends(self, code=0):
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"it did not end within {PATIENCE} s") from None
        errors = self.rest(self.errors)
        expect(self.process.returncode == code, f"it ended with {self.process.returncode}, not {code}: {errors}")
        return errors

    @staticmethod
    def rest(lines):
        """The lines until the end of the stream."""
        try:
            return list(iter(lambda: lines.get(timeout=PATIENCE), None))
        except queue.Empty:
            raise Failed("its output does not end") from None

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.ends()
        return self.rest(self.output)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()


class Peer:
    """A TCP connection, read by lines."""

    def __init__(self, connection):
        connection.settimeout(PATIENCE)
        self.socket, self.file = connection, connection.makefile("rb")

    @staticmethod
    def to(address):
        return Peer(socket.create_connection(address, timeout=PATIENCE))

    @staticmethod
    def of(listener):
        listener.settimeout(PATIENCE)
        return Peer(listener.accept()[0])

    def send(self, text):
        self.socket.sendall(text.encode())

    def reads(self, *lines):
        for line in lines:
            found = self.file.readline()
            expect(found == line.encode() + b"\n", f"the peer received {found!r}, not {line!r}")

    def reads_end(self):
        try:
            found = self.file.read()
        except ConnectionResetError:
            return
        expect(found == b"", f"the peer received {found[:80]!r} instead of the end of the stream")

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def echo(connection):
    """Sends back what it receives."""
    while chunk := connection.recv(65536):
        connection.sendall(chunk)


def drained(server, *peers):
    """Ends a server with SIGTERM, which closes the connections of the peers. Returns its output."""
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    for peer in peers:
        peer.reads_end()
        peer.close()
    output, errors = server.process.communicate(timeout=PATIENCE)
    expect(server.process.returncode == 0 and errors == "", f"it ended with {server.process.returncode}: {errors}")
    expect(time.monotonic() - began < 8, "idle connections delayed the end")
    return output


def numbered(count):
    return [f"line {number}" for number in range(count)]


def takes_a_second(peer):
    """Thirty lines at twenty a second: ten of them have to wait for a second, and none is lost."""
    began = time.monotonic()
    lines = numbered(30)
    peer.send("".join(line + "\n" for line in lines))
    peer.reads(*lines)
    lasted = time.monotonic() - began
    expect(lasted > 0.95, f"30 lines came back within {lasted:.2f} s, at 20 a second")


def line_server():
    with Server("line-server", "0", "20") as server, Peer.to(server.address) as peer, Peer.to(server.address) as greedy:
        takes_a_second(peer)
        peer.send("one\r\n\n")
        peer.reads("one", "")
        greedy.send("x" * 5000)
        greedy.reads_end()
        printed = drained(server, peer)
        expect("SIGTERM: draining" in printed, f"it printed {printed!r}")


def health_checker():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with Program("health-checker", "0.1", f"127.0.0.1:{port}") as program:
        program.reads(f"127.0.0.1:{port} is up")
        listener.close()
        # An attempt that is under way when the listener closes is reset.
        while "refused" not in program.reads(f"127.0.0.1:{port} is down: .*(refused|reset)").string:
            pass
        with socket.create_server(("127.0.0.1", port)):
            program.reads(f"127.0.0.1:{port} is up")
            program.stop()


def tcp_proxy():
    data = os.urandom(1_000_000)
    with serving(echo) as port, Server("tcp-proxy", "0", "127.0.0.1", port) as server:
        with socket.create_connection(server.address, timeout=PATIENCE) as peer:
            threading.Thread(target=lambda: (peer.sendall(data), peer.shutdown(socket.SHUT_WR)), daemon=True).start()
            with peer.makefile("rb") as file:
                back = file.read()
        expect(back == data, f"{len(back)} of {len(data)} bytes came back, or others")
        with Peer.to(server.address) as peer:
            peer.send("before\n")
            peer.reads("before")
            server.process.send_signal(signal.SIGTERM)
            expect("SIGTERM: waiting for" in server.process.stdout.readline(), "it did not report the signal")
            peer.send("after\n")
            peer.reads("after")
        expect(server.process.wait(PATIENCE) == 0, "it did not end with 0 after its last connection")
    with early_ends.target(b"bye") as port, Server("tcp-proxy", "0", "127.0.0.1", port) as server:
        early_ends.check(server.address, b"bye", PATIENCE)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = str(closed.getsockname()[1])
    with Server("tcp-proxy", "0", "127.0.0.1", port) as server:
        # The reset may arrive while the peer still connects.
        with contextlib.suppress(ConnectionResetError), Peer.to(server.address) as peer:
            peer.reads_end()
        expect(f"127.0.0.1:{port}" in server.stop(), "it did not report that the target refuses")


def pub_sub():
    with Server("pub-sub", "0") as server, contextlib.ExitStack() as ends:
        news, both, sender = [ends.enter_context(Peer.to(server.address)) for _ in range(3)]
        news.send("SUB news\n")
        news.reads("OK")
        both.send("SUB news\nSUB sport\n")
        both.reads("OK", "OK")
        sender.send("PUB news one two\nPUB sport goal\nPUB nothing\nPUB news three\n")
        sender.reads("OK", "OK", "ERR write SUB TOPIC, at most 16 times, or PUB TOPIC TEXT", "OK")
        news.reads("MSG news one two", "MSG news three")
        both.reads("MSG news one two", "MSG sport goal", "MSG news three")
        both.send("SUB topic\n" * 15)
        both.reads(*["OK"] * 14, "ERR write SUB TOPIC, at most 16 times, or PUB TOPIC TEXT")
        drained(server, news, both, sender)
    with Server("pub-sub", "0") as server:
        for leave in (b"", b"x", b"PUB news text\n"):
            subscribers_leave(server, leave)


def subscribers_leave(server, last):
    """As many subscribers as the server allows for one address leave, and as many others can come. `last` precedes the end."""
    before = server.descriptors()
    for _ in range(2):
        peers = [Peer.to(server.address) for _ in range(100)]
        for peer in peers:
            peer.send("SUB news\nSUB sport\n")
        for peer in peers:
            peer.reads("OK", "OK")
        for number, peer in enumerate(peers):
            peer.socket.sendall(last)
            if number % 2:
                # It reads on. The server answers everything, and ends its stream.
                peer.socket.shutdown(socket.SHUT_WR)
                rest = peer.file.read()
                expect((b"OK\n" in rest) == (last[-1:] == b"\n"), f"the peer received {rest!r}")
            peer.close()
        server.settles_at(before, within=PATIENCE)


def rate_limiter():
    with serving(echo) as port, Server("rate-limiter", "0", "127.0.0.1", port, "20") as server:
        with Peer.to(server.address) as peer:
            takes_a_second(peer)
        server.stop()
    with early_ends.target(b"bye") as port, Server("rate-limiter", "0", "127.0.0.1", port, "20") as server:
        early_ends.check(server.address, b"bye", PATIENCE)


def retrying_client():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        with Program("retrying-client", "127.0.0.1", port, "SUB news") as program:
            for text in ("one", "two"):
                with Peer.of(listener) as peer:
                    peer.reads("SUB news")
                    peer.send(f"{text}\n")
                    program.reads(f"^{text}$")
                program.reads("ended the stream", program.errors)
            with Peer.of(listener) as peer:
                peer.reads("SUB news")
                program.stop()
                peer.reads_end()


def cron():
    with Program("cron", "0.1", "sh", "-c", "echo begin; sleep 0.3; echo end; exit 3") as program:
        run = ["begin", "end", "sh exited with 3"]
        for line in [*run, "begin"]:
            program.reads(f"^{line}$")
        printed = ["begin", *program.stop()]
        expect(printed == run * (len(printed) // 3), f"before it ended it printed {printed}")
    with Program("cron", "0.1", "/nonexistent/program") as program:
        program.reads("/nonexistent/program.*No such file")
        program.stop(signal.SIGINT)


def log_shipper():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        with Program("log-shipper", "127.0.0.1", port) as program:
            def write(*lines):
                program.process.stdin.write("".join(line + "\n" for line in lines))
                program.process.stdin.flush()

            write(*numbered(1000))
            with Peer.of(listener) as peer:
                peer.reads(*numbered(1000))
                peer.socket.shutdown(socket.SHUT_WR)
                peer.reads_end()
            listener.close()
            write("while the collector is away")
            program.reads("refused.*retrying", program.errors)
            with socket.create_server(("127.0.0.1", int(port))) as again, Peer.of(again) as peer:
                peer.reads("while the collector is away")
                write("the last")
                program.process.stdin.close()
                peer.reads("the last")
                peer.socket.shutdown(socket.SHUT_WR)
                peer.reads_end()
            program.ends()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with Program("log-shipper", "127.0.0.1", str(listener.getsockname()[1])) as program:
            program.process.stdin.write("the only one\n")
            program.process.stdin.flush()
            with Peer.of(listener) as peer:
                peer.reads("the only one")
                program.process.send_signal(signal.SIGTERM)
                peer.reads_end()
            program.ends()


def unread(port):
    """The bytes in the receive buffer of the UDP socket with this port."""
    for line in Path("/proc/net/udp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(f":{port:04X}"):
            return int(fields[4].split(":")[1], 16)
    raise Failed(f"there is no UDP socket with port {port}")


def udp_collector():
    def send(server, *texts):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for text in texts:
                sender.sendto(text.encode(), server.address)

    with Server("udp-collector", "0", "0.2") as server:
        send(server, "requests:3", "requests:-1\n", "errors:1", "junk", "errors:99999999999999999999", "a:1:2", "x" * 600)
        sums = collections.Counter()
        while sums != {"errors": 1, "requests": 2}:
            line = server.process.stdout.readline()
            found = re.fullmatch(r"(errors|requests) (-?\d+)\n", line)
            expect(found, f"it printed {line!r}")
            sums[found[1]] += int(found[2])
        expect(server.stop() == "", "it printed more")
    with Server("udp-collector", "0", "3600") as server:
        send(server, "requests:3")
        # On a busy machine the system may deliver a datagram late.
        time.sleep(0.5)
        end = time.monotonic() + PATIENCE
        while unread(server.port) and time.monotonic() < end:
            time.sleep(0.01)
        expect(server.stop() == "requests 3\n", "it did not print what it had at the end")


def supervisor():
    with Program("supervisor", "sh", "-c", "echo up; exec sleep 60") as program:
        identifiers = []
        for _ in range(2):
            identifiers.append(int(program.reads(r"sh is process (\d+)", program.errors)[1]))
            program.reads("^up$")
            if len(identifiers) == 1:
                os.kill(identifiers[0], signal.SIGKILL)
                program.reads("sh killed by SIGKILL", program.errors)
        program.stop()
        expect(not Path(f"/proc/{identifiers[1]}").exists(), "the program still runs")


def gives_up():
    """Without LOOP: the Dispatch loop."""
    with Program("supervisor", "/nonexistent/program") as program:
        errors = program.ends(1)
        expect(len(errors) == 7 and "giving up" in errors[-1], f"it printed {errors}")


# Arguments that each program refuses.
WRONG = {
    "line-server": [["x"], ["65536"], ["0", "0"], ["0", "1", "2"]],
    "health-checker": [[], ["1"], ["0", "127.0.0.1:80"], ["1", "127.0.0.1"], ["1", "127.0.0.1:0"]],
    "tcp-proxy": [[], ["0", "127.0.0.1"], ["0", "127.0.0.1", "0"], ["-1", "127.0.0.1", "80"]],
    "pub-sub": [["x"], ["0", "1"]],
    "rate-limiter": [[], ["0", "127.0.0.1", "80"], ["0", "127.0.0.1", "80", "0"]],
    "retrying-client": [[], ["127.0.0.1"], ["127.0.0.1", "0"], ["127.0.0.1", "1", "2", "3"]],
    "cron": [[], ["1"], ["0", "true"], ["nan", "true"], ["1", "--help"]],
    "log-shipper": [[], ["127.0.0.1"], ["127.0.0.1", "0"]],
    "udp-collector": [["x"], ["0", "0"], ["0", "1", "2"]],
    "supervisor": [[], ["--help"]],
}
CHECKS = {name: globals()[name.replace("-", "_")] for name in WRONG}


def length(name):
    """Each program is a file of fewer than 60 lines, and Docs/Gallery.md states their number."""
    found = len((ROOT / f"Examples/Gallery/{name}/main.swift").read_text().splitlines())
    expect(found < 60, f"it has {found} lines")
    row = re.search(rf"^\| \[{name}\].* (\d+) \|$", (ROOT / "Docs/Gallery.md").read_text(), re.M)
    expect(row and int(row[1]) == found, f"it has {found} lines, and Docs/Gallery.md states {row[1] if row else 'nothing'}")


def wrong_arguments(name):
    for arguments in WRONG[name]:
        result = subprocess.run([BINARIES / name, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        expect(result.returncode == 64, f"{arguments}: exit {result.returncode}, not 64: {result.stderr}")
        expect(f"{name}: usage: " in result.stderr and result.stdout == "", f"{arguments}: {result.stderr!r}, {result.stdout!r}")


def port_taken(name, *more):
    kind = socket.SOCK_DGRAM if name == "udp-collector" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as holder:
        holder.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            holder.listen()
        port = str(holder.getsockname()[1])
        result = subprocess.run([BINARIES / name, port, *more], capture_output=True, text=True, timeout=PATIENCE)
    expect(result.returncode == 1, f"exit {result.returncode}, not 1: {result.stderr}")
    expect(re.fullmatch(rf"{name}: .*127.0.0.1:{port}.*Address already in use.*\n", result.stderr), f"{result.stderr!r}")


def main():
    names = sys.argv[1:] or list(CHECKS)
    unknown = set(names) - set(CHECKS)
    if unknown:
        sys.exit(f"gallery: there is no {', '.join(unknown)}: the programs are {', '.join(CHECKS)}")
    for name in names:
        check(f"{name}: lines", lambda: length(name))
        check(f"{name}: wrong arguments", lambda: wrong_arguments(name))
        if name in ("line-server", "pub-sub", "udp-collector"):
            check(f"{name}: port taken", lambda: port_taken(name))
        if name in ("tcp-proxy", "rate-limiter"):
            check(f"{name}: port taken", lambda: port_taken(name, "127.0.0.1", "80", *["1"] * (name == "rate-limiter")))
    for loop in LOOPS:
        os.environ["LOOP"] = loop
        for name in names:
            check(f"{loop}: {name}", CHECKS[name])
    if "supervisor" in names:
        check("supervisor: gives up on a program that does not start", gives_up)
    return totals()


if __name__ == "__main__":
    sys.exit(main())
