# SPDX-License-Identifier: MIT
"""Restarts the echo server, the key-value server and the HTTP server under load, and expects that no connection is refused or reset.

    python3 Tests/Smoke/restarts.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). SMOKE_LOOPS selects the loops (all three), COUNT the number of restarts
for each loop and way (100), and RATE the number of new connections in each second (200).

Each new connection sends a request, waits for its reply, and closes. Twenty further connections stay open across several restarts, idle for
most of the time. There are two ways to restart. With activation, this program owns the listening socket as systemd does: it sends SIGTERM to
the server and starts the next one. With hand-over, it sends SIGHUP, and the server starts the next one itself.

Prints one line for each check, and exits with 1 if one failed.
"""
import asyncio
import contextlib
import ctypes
import os
import re
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

from report import check, totals
from server import BINARIES, Failed, expect

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
COUNT = int(os.environ.get("COUNT") or 100)
RATE = int(os.environ.get("RATE") or 200)
IDLE = 20
# The maximum CPU time of one server in seconds.
CPU_LIMIT = 2.0
BUSY = 10


class Unanswered(Exception):
    """The server has closed the connection before the reply began. An HTTP client may repeat the request."""


class Fixed:
    """A protocol whose request has one reply."""

    keepsConnections = True

    def __init__(self, request, reply):
        self.request, self.reply = request, reply

    async def exchange(self, reader, writer):
        """Returns whether the server announces that it will close the connection."""
        writer.write(self.request)
        back = await reader.readexactly(len(self.reply))
        if back != self.reply:
            raise OSError(f"another reply: {back}")
        return False


class HTTP:
    """GET of the example's greeting."""

    keepsConnections = False
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    async def exchange(self, reader, writer):
        writer.write(self.request)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            raise Unanswered from None
        except ConnectionError:
            raise Unanswered from None
        body = await reader.readexactly(6)
        if not head.startswith(b"HTTP/1.1 200 ") or b"ontent-Length: 6\r\n" not in head.replace(b"length", b"Length") or body != b"hello\n":
            raise OSError(f"another reply: {head} {body}")
        return b"\r\nconnection: close\r\n" in head.lower()


PROGRAMS = {
    "echo-server": Fixed(b"hello", b"hello"),
    "key-value-server": Fixed(b"PING\r\n", b"+PONG\r\n"),
    "http-server": HTTP(),
}


class Notifications:
    """The socket of a service manager, to which the servers report that they serve."""

    def __init__(self, folder):
        self.path = str(Path(folder, "notify"))
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.watchdogs = 0
        # The process that has reported last that it serves.
        self.main = None

    def wait(self, *texts, within=60):
        """Waits for one of some lines, and returns it."""
        end = time.monotonic() + within
        while True:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                message = self.socket.recv(4096).decode()
            except TimeoutError:
                raise Failed(f"no {' or '.join(texts)} within {within} s") from None
            if message == "WATCHDOG=1":
                self.watchdogs += 1
            lines = message.split("\n")
            for line in lines:
                if line.startswith("MAINPID="):
                    self.main = int(line[8:])
            for text in texts:
                if text in lines:
                    return text


class Processes:
    """Starts servers with a shared output, and finds the one that serves."""

    def __init__(self, program, loop, folder, *arguments):
        self.notifications = Notifications(folder)
        self.arguments = [str(BINARIES / program), "--loop", loop, "--threads", "2", "--grace", "600", *arguments]
        if program == "echo-server":
            self.arguments.append("--quiet")
        self.output = Path(folder, "output")
        self.all = []
        self.busiest = 0.0

    def start(self, listening=None):
        """Starts a server. With `listening`, its descriptor becomes 3, as for socket activation."""
        pid = os.fork()
        if pid == 0:
            try:
                output = os.open(self.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(output, 1)
                os.dup2(output, 2)
                environment = dict(os.environ, NOTIFY_SOCKET=self.notifications.path, WATCHDOG_USEC="200000",
                                   WATCHDOG_PID=str(os.getpid()))
                if listening is not None:
                    os.dup2(listening, 3)
                    # If it was 3 before, the call above has not changed it.
                    os.set_inheritable(3, True)
                    environment.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="main")
                os.execve(self.arguments[0], self.arguments, environment)
            finally:
                os._exit(127)
        self.all.append(pid)
        self.notifications.wait("READY=1")
        return pid

    def text(self):
        return self.output.read_text()

    def port(self):
        end = time.monotonic() + 60
        while not (found := re.search(r"listening on \S+:(\d+)", self.text())):
            expect(time.monotonic() < end, f"no port:\n{self.text()}")
            time.sleep(0.01)
        return int(found[1])


class Load:
    """New connections at a constant rate, and idle ones. Runs in the thread of its event loop."""

    def __init__(self, port, program):
        self.port = port
        self.protocol = PROGRAMS[program]
        self.done, self.closed, self.repeated, self.failures, self.pending = 0, 0, 0, [], set()
        self.isOver = False

    async def open(self):
        return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 60)

    async def exchange(self, reader, writer):
        return await asyncio.wait_for(self.protocol.exchange(reader, writer), 60)

    async def connection(self, hold=0.0):
        try:
            reader, writer = await self.open()
            await self.exchange(reader, writer)
            if hold:
                await asyncio.sleep(hold)
                try:
                    await self.exchange(reader, writer)
                except Unanswered:
                    self.closed += 1
                    writer.close()
                    reader, writer = await self.open()
                    await self.exchange(reader, writer)
            writer.write_eof()
            rest = await asyncio.wait_for(reader.read(), 60)
            if rest:
                raise OSError(f"more than the reply: {rest}")
            writer.close()
            self.done += 1
        except (OSError, EOFError, TimeoutError, Unanswered) as error:
            self.failures.append(f"{'idle' if hold else 'new'} connection: {type(error).__name__}: {error}")

    async def busy(self):
        """Sends requests on one connection until the server announces its end, and then uses another one."""
        try:
            while not self.isOver:
                reader, writer = await self.open()
                try:
                    while not self.isOver and not await self.exchange(reader, writer):
                        self.done += 1
                        await asyncio.sleep(0.01)
                except Unanswered:
                    self.repeated += 1
                writer.close()
        except (OSError, EOFError, TimeoutError) as error:
            self.failures.append(f"busy connection: {type(error).__name__}: {error}")

    def begin(self, work):
        task = asyncio.ensure_future(work)
        self.pending.add(task)
        task.add_done_callback(self.pending.discard)

    async def idle(self):
        """Keeps one connection open after the other, each across some restarts."""
        while not self.isOver:
            await self.connection(hold=1.5)

    async def run(self):
        for _ in range(IDLE):
            self.begin(self.idle())
        if not self.protocol.keepsConnections:
            for _ in range(BUSY):
                self.begin(self.busy())
        begin, number = time.monotonic(), 0
        while not self.isOver:
            # Open loop: a slow reply does not delay the next connection.
            while number < (time.monotonic() - begin) * RATE:
                number += 1
                self.begin(self.connection())
            await asyncio.sleep(0.002)
        while self.pending:
            await asyncio.sleep(0.01)


def under_load(port, program, restart):
    """Restarts COUNT times under load. Returns the load."""
    load = Load(port, program)

    async def both():
        running = asyncio.ensure_future(load.run())
        try:
            await asyncio.sleep(0.2)
            for _ in range(COUNT):
                await asyncio.to_thread(restart)
                expect(not load.failures, f"{len(load.failures)} failures: {load.failures[:3]}")
            await asyncio.sleep(0.2)
        finally:
            load.isOver = True
            await running

    asyncio.run(both())
    expect(not load.failures, f"{len(load.failures)} failures: {load.failures[:3]}")
    return load


def reap(processes, pid):
    """Waits until a process has ended by itself with 0. If its parent has ended, it is a child of this program."""
    end = time.monotonic() + 60
    while True:
        try:
            done, status, usage = os.wait4(pid, os.WNOHANG)
        except ChildProcessError:
            # It is a child of the process that has started it, or was one.
            done, status, usage = not Path(f"/proc/{pid}").exists(), 0, None
        if done:
            break
        expect(time.monotonic() < end, f"process {pid} does not end")
        time.sleep(0.01)
    processes.all.remove(pid)
    # A process that has closed its socket while another one keeps it open must not wake up for it.
    seconds = usage.ru_utime + usage.ru_stime if usage else 0
    expect(seconds < CPU_LIMIT, f"a process has used {seconds:.1f} s of CPU time")
    processes.busiest = max(processes.busiest, seconds)
    expect(status == 0, f"a process has ended with {os.waitstatus_to_exitcode(status)}:\n{processes.text()[-2000:]}")


@contextlib.contextmanager
def cleaning(processes):
    """Kills the processes that are left after a failure."""
    try:
        yield
    finally:
        for pid in processes.all:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def finish(processes, load):
    """Ends the last process, and expects that all have ended without an error."""
    os.kill(processes.all[-1], signal.SIGTERM)
    for pid in list(processes.all):
        reap(processes, pid)
    expect(processes.notifications.watchdogs > 0, "no watchdog message arrived")
    counts = f"{load.done} exchanges" if load.protocol.keepsConnections else (
        f"{load.done} exchanges, {load.closed} idle connections closed, {load.repeated} requests repeated")
    return f"{counts}, {processes.notifications.watchdogs} watchdog messages, at most {processes.busiest:.2f} s of CPU time"


def activation(loop, program):
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0), backlog=4096) as listening:
        processes = Processes(program, loop, folder, "--activation")
        with cleaning(processes):
            processes.start(listening.fileno())

            def restart():
                os.kill(processes.all[-1], signal.SIGTERM)
                # Until the next process accepts, peers wait in the queue.
                processes.notifications.wait("STOPPING=1")
                processes.start(listening.fileno())

            load = under_load(listening.getsockname()[1], program, restart)
            return finish(processes, load)


def handover(loop, program):
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder, "handover"))
        processes = Processes(program, loop, folder, "--handover", place, "--port", "0")
        with cleaning(processes):
            processes.start()

            def restart():
                os.kill(processes.all[-1], signal.SIGHUP)
                processes.notifications.wait("RELOADING=1")
                processes.notifications.wait("READY=1")
                processes.all.append(processes.notifications.main)
                if len(processes.all) % 10 == 0:
                    die(place)

            load = under_load(processes.port(), program, restart)
            return finish(processes, load)


def ending(loop, program):
    """Sends SIGTERM and SIGHUP in both orders. No process must be left."""
    for hasChild in False, True:
        with tempfile.TemporaryDirectory() as folder:
            processes = Processes(program, loop, folder, "--handover", str(Path(folder, "handover")), "--port", "0")
            with cleaning(processes):
                processes.start()
                # The drain waits for this peer.
                with socket.create_connection(("127.0.0.1", processes.port()), timeout=60) as peer:
                    peer.sendall(PROGRAMS[program].request)
                    expect(peer.recv(4096), "no reply")
                    first = processes.all[0]
                    if hasChild:
                        os.kill(first, signal.SIGHUP)
                        processes.notifications.wait("RELOADING=1")
                        os.kill(first, signal.SIGTERM)
                        if processes.notifications.wait("STOPPING=1", "READY=1") == "READY=1":
                            # The next process was faster than the signal.
                            os.kill(processes.notifications.main, signal.SIGTERM)
                    else:
                        os.kill(first, signal.SIGTERM)
                        processes.notifications.wait("STOPPING=1")
                        os.kill(first, signal.SIGHUP)
                        time.sleep(0.3)
                reap(processes, first)
                end = time.monotonic() + 20
                with contextlib.suppress(ChildProcessError):
                    # This program is the parent of processes whose parent has ended.
                    while True:
                        pid, _ = os.waitpid(-1, os.WNOHANG)
                        if not pid and time.monotonic() > end:
                            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
                            for child in children:
                                os.kill(int(child), signal.SIGKILL)
                            raise Failed(f"{len(children)} processes are left:\n{processes.text()[-2000:]}")
                        time.sleep(0.01)
    return "none is left"


def die(place):
    """Takes over the sockets, and ends without an acknowledgement."""
    with socket.socket(socket.AF_UNIX) as taker:
        taker.settimeout(60)
        taker.connect(place)
        taker.sendall(b"RSHO\1\1\0\0")
        message, descriptors, _, _ = socket.recv_fds(taker, 4096, 64)
        for descriptor in descriptors:
            os.close(descriptor)
        expect(message.startswith(b"RSHO\1\2") and len(descriptors) >= 2, f"{message} with {descriptors}")


def main():
    # Servers whose parent has ended become children of this program.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    for loop in LOOPS:
        for program in PROGRAMS:
            check(f"{loop}: {program}, {COUNT} restarts by activation", lambda: activation(loop, program))
            check(f"{loop}: {program}, {COUNT} restarts by hand-over", lambda: handover(loop, program))
            check(f"{loop}: {program}, SIGHUP and SIGTERM together", lambda: ending(loop, program))
    return totals()


if __name__ == "__main__":
    sys.exit(main())
