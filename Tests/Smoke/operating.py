# SPDX-License-Identifier: MIT
"""Operations on a server: limits, timeouts, draining, killing, stopping, and a full disk."""
import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time

from crowds import echo_server
from server import BINARIES, Failed, Server, expect
from stalling import echo


def wait_for_end(server, within):
    try:
        output, errors = server.process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        server.process.kill()
        raise Failed(f"the server did not end within {within} s")
    return server.process.returncode, output, errors


def ended(connection):
    """Whether the peer ends its stream."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def connection_limit(loop):
    """At its limit the server lets a new peer wait, and serves it when a connection ends."""
    with echo_server(loop, "--max-connections", "3") as server:
        peers = [socket.create_connection(server.address, timeout=10) for _ in range(3)]
        for peer in peers:
            echo(peer, b"one of three")
        fourth = socket.create_connection(server.address, timeout=10)
        fourth.sendall(b"the fourth")
        fourth.settimeout(0.5)
        try:
            raise Failed(f"a fourth connection was served, and three are allowed: {fourth.recv(100)}")
        except socket.timeout:
            pass
        for peer in peers[1:]:
            echo(peer, b"still one of three")
        peers[0].close()
        fourth.settimeout(10)
        expect(fourth.recv(100) == b"the fourth", "the fourth was not served when a connection had ended")
        for peer in peers[1:] + [fourth]:
            peer.close()


def idle_timeout(loop, attempts=5):
    """An idle connection is closed, but not early, and a busy one is not."""
    with echo_server(loop, "--idle-timeout", "1") as server:
        began = time.monotonic()
        quiet = socket.create_connection(server.address, timeout=60)
        busy = socket.create_connection(server.address, timeout=60)
        over = threading.Event()
        failures = []
        longest = 0.0

        def work():
            nonlocal longest
            last = began
            try:
                while not over.wait(0.1):
                    longest = max(longest, time.monotonic() - last)
                    echo(busy, b"busy")
                    last = time.monotonic()
            except (Failed, OSError) as error:
                longest = max(longest, time.monotonic() - last)
                failures.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        ended(quiet)
        spent = time.monotonic() - began
        over.set()
        worker.join()
        busy.close()
        quiet.close()
        # If the machine paused this long, the busy connection was idle too.
        expect(not failures or longest > 0.7, f"the busy connection: {failures}")
        if failures:
            expect(attempts > 1, "the machine paused too often")
            return idle_timeout(loop, attempts - 1)
        expect(spent >= 1, f"the idle connection was closed after {spent:.2f} s")
        return f"after {spent:.2f} s"


def mid_transfer(server, count):
    """Connects peers that have sent a part of their data, and wait."""
    peers = [socket.create_connection(server.address, timeout=20) for _ in range(count)]
    for peer in peers:
        echo(peer, random.randbytes(10_000))
        peer.sendall(b"half of it, ")
    return peers


def wait_until_refused(server):
    """Waits until no new peer is served, which means that the server has received the signal."""
    end = time.monotonic() + 60
    while True:
        expect(time.monotonic() < end, "while draining it accepts new connections")
        try:
            socket.create_connection(server.address, timeout=60).close()
            time.sleep(0.01)
        except ConnectionResetError:
            pass  # The peer was in the listener's queue when the listener closed.
        except ConnectionRefusedError:
            return


def drains(loop):
    """After SIGTERM ten peers finish, no new peer is served, and the server exits with 0 when they have finished."""
    with echo_server(loop, "--grace", "20") as server:
        peers = mid_transfer(server, 10)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        wait_until_refused(server)
        for peer in peers:
            peer.sendall(b"and the rest")
            peer.shutdown(socket.SHUT_WR)
            back = b""
            while True:
                piece = peer.recv(65536)
                if not piece:
                    break
                back += piece
            expect(back == b"half of it, and the rest", f"a draining server sent back {back}")
            peer.close()
        code, output, errors = wait_for_end(server, 60)
        expect(code == 0 and "served" in output, f"it ended with {code}: {output} {errors}")
        return f"ended {time.monotonic() - began:.2f} s after the signal"


def cuts(loop):
    """Peers that do not finish are reset at the end of the grace period, not before, and the server exits with 0."""
    with echo_server(loop, "--grace", "1") as server:
        peers = mid_transfer(server, 10)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        for peer in peers[:5]:
            try:
                peer.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The grace period was over by then.
        for peer in peers:
            ended(peer)
        code, output, errors = wait_for_end(server, 60)
        spent = time.monotonic() - began
        expect(code == 0, f"it ended with {code}: {output} {errors}")
        expect(spent >= 1, f"it cut its peers after {spent:.2f} s of 1 s")
        for peer in peers:
            peer.close()
        return f"ended {spent:.2f} s after the signal"


def second_signal(loop):
    """A second signal ends the server at once, whatever the grace period."""
    with echo_server(loop, "--grace", "60") as server:
        peers = mid_transfer(server, 3)
        server.process.send_signal(signal.SIGINT)
        # Two signals count as one if the server has not seen the first.
        wait_until_refused(server)
        began = time.monotonic()
        expect(server.process.poll() is None, "it did not wait for its peers")
        server.process.send_signal(signal.SIGINT)
        code, _, _ = wait_for_end(server, 30)
        for peer in peers:
            peer.close()
        return f"ended with {code} after {time.monotonic() - began:.2f} s"


def killed(loop):
    """After kill -9 with open connections, a new server can use the same port at once."""
    with echo_server(loop) as server:
        port = server.port
        peers = mid_transfer(server, 5)
        server.process.kill()
        server.process.wait()
        with Server("echo-server", "--loop", loop, "--port", str(port), "--quiet") as again:
            with socket.create_connection(again.address, timeout=10) as peer:
                echo(peer, b"again")
        for peer in peers:
            peer.close()


def killed_unix(loop):
    """The file of a killed server is replaced, and the file of a live server is not."""
    def serve(path):
        process = subprocess.Popen(
            [BINARIES / "echo-server", "--loop", loop, "--unix", path, "--quiet"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return process, process.stdout.readline()

    def talk(path):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(10)
            peer.connect(path)
            echo(peer, random.randbytes(200_000))

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "echo.sock")
        first, line = serve(path)
        expect(path in line, f"it said {line!r}")
        talk(path)
        first.kill()
        first.communicate()
        expect(os.path.exists(path), "a killed server has removed its file")
        second, line = serve(path)
        talk(path)
        third, line = serve(path)
        errors = third.communicate(timeout=60)[1]
        expect(third.returncode == 1 and path in errors and errors.count("\n") == 1, f"in use: {third.returncode} {errors!r}")
        talk(path)
        second.terminate()
        second.communicate(timeout=60)
        expect(second.returncode == 0, f"it ended with {second.returncode}")
        expect(not os.path.exists(path), "the file is still there after an orderly end")


def stopped(loop):
    """Stopped in the middle of a transfer and continued, the server continues without a loss."""
    with echo_server(loop) as server:
        peer = socket.create_connection(server.address, timeout=20)
        echo(peer, b"before")
        server.process.send_signal(signal.SIGSTOP)
        data = random.randbytes(100_000)
        peer.sendall(data)
        late = socket.create_connection(server.address, timeout=20)
        time.sleep(0.5)
        server.process.send_signal(signal.SIGCONT)
        back = b""
        while len(back) < len(data):
            back += peer.recv(65536)
        expect(back == data, "data sent while the server was stopped came back wrong")
        echo(late, b"late")
        before = server.processor_time()
        time.sleep(0.5)
        spent = server.processor_time() - before
        expect(spent < 0.1, f"afterwards it used {spent:.2f} s of processor time in 0.5 s")
        peer.close()
        late.close()


def full_disk(loop):
    """A log that cannot be written breaks no connection."""
    with open("/dev/full", "w") as log:
        process = subprocess.Popen(
            [BINARIES / "echo-server", "--loop", loop, "--port", "0"],
            stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        port = int(process.stdout.readline().split(",")[0].rsplit(":", 1)[1])
        for _ in range(50):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as peer:
                echo(peer, b"unlogged")
        process.terminate()
        output = process.communicate(timeout=60)[0]
        expect(process.returncode == 0 and "served 50" in output, f"it ended with {process.returncode}: {output!r}")
    finally:
        process.kill()
        process.stdout.close()
