# SPDX-License-Identifier: MIT
"""The dashboard of the echo server in headless Chromium, and its metrics by promtool, on every loop.

    python3 Tests/Smoke/dashboard.py

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). Needs chromium and prometheus of Debian. SMOKE_LOOPS selects the
loops (all three). SCREENSHOT names a PNG file to write. Prints one line for each check, and exits with 1 if one failed.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from report import check, totals
from server import Server, expect

TEXTS = (
    'class="open">live<', "echo on 127.0.0.1", "the peer reads slowly", "Connection.send(from:)", "the subscriber has paused",
)
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()


def get(address, path):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=60) as response:
        return response.read().decode()


def browse(address, *arguments):
    """Runs Chromium on the page for six seconds of virtual time, and returns what it prints."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
            "--window-size=1280,900", "--virtual-time-budget=6000", *arguments, f"http://{address}/",
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)


def clients(server):
    """Peers of the echo server: three that read, and one that sends without reading, until its bytes wait."""
    peers = [socket.create_connection(server.address) for _ in range(4)]
    for peer in peers[:3]:
        peer.sendall(b"hello")
        peer.recv(5)
    peers[3].setblocking(False)
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            peers[3].send(bytes(65536))
        except BlockingIOError:
            time.sleep(0.05)
    return peers


def page(loop):
    server = Server("echo-server", "--loop", loop, "--port", "0", "--quiet", "--dashboard", "0")
    line = server.process.stdout.readline()
    address = re.search(r"dashboard on http://(\S+)/", line)[1]
    peers = clients(server)
    metrics = get(address, "/metrics")
    checked = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True, text=True)
    expect(checked.returncode == 0, f"promtool: {checked.stdout}{checked.stderr}")
    expect("reactive_server_connections" in metrics, metrics)
    # The time of the page is virtual, so on a busy machine it may end before the snapshot arrives.
    for _ in range(10):
        dom = browse(address, "--dump-dom")
        missing = [text for text in TEXTS if text not in dom.stdout]
        if not missing:
            break
    expect(not missing, f"the page does not contain {missing}: {dom.stdout[-2000:]} {dom.stderr[-2000:]}")
    picture = os.environ.get("SCREENSHOT")
    if picture:
        browse(address, f"--screenshot={os.path.abspath(picture)}")
        expect(os.path.getsize(picture) < 150_000, "the picture is too large")
    for peer in peers:
        peer.close()
    server.stop()


def main():
    for loop in LOOPS:
        check(f"{loop}: the page shows a peer that reads slowly, and promtool accepts the metrics", lambda: page(loop))
    sys.exit(totals())


if __name__ == "__main__":
    main()
