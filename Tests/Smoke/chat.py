"""The chat on three processes, one for each loop: everybody hears everything once, also when a process is killed.

    python3 Tests/Smoke/chat.py

It takes the programs of Examples/.build (CHAT_BINARY says which), and starts a nats-server with a folder of its own.
"""
import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Examples/Chat"))
import load  # noqa: E402

BINARY = os.environ.get("CHAT_BINARY", str(ROOT / "Examples/.build/debug/chat"))
LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()


def nats_server(folder):
    """A server, and where it listens: it writes that into a file when it does."""
    server = subprocess.Popen(
        ["nats-server", "-js", "-a", "127.0.0.1", "-p", "-1", "-sd", folder, "--ports_file_dir", folder],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"})
    file = Path(folder) / f"nats-server_{server.pid}.ports"
    for _ in range(1200):
        if file.exists() and (url := re.search(r"nats://[^\"]*:\d+", file.read_text())):
            return server, url.group()
        time.sleep(0.05)
    raise SystemExit("nats-server does not listen")


def chat(loop, url):
    """A process of the chat, and its address."""
    process = subprocess.Popen([BINARY, "--loop", loop, "--port", "0", "--nats", url], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        raise SystemExit(f"the chat on {loop} says: {line}")
    return process, line.split()[2].rstrip(",")


def who(address, room):
    """Who is in a room, as one process says."""
    with socket.create_connection(address.rsplit(":", 1), timeout=60) as peer:
        peer.sendall(f"WHO {room}\n".encode())
        return peer.makefile().readline().split()[2:]


def main():
    with tempfile.TemporaryDirectory() as folder:
        server, url = nats_server(folder)
        processes = []
        try:
            processes = [chat(loop, url) for loop in LOOPS]
            addresses = [address for _, address in processes]
            with socket.create_connection(addresses[0].rsplit(":", 1)) as peer:
                peer.sendall(b"NAME ann\nJOIN lobby\nNAME\n")
                stream = peer.makefile()
                expect([stream.readline() for _ in range(3)], ["OK\n", "OK\n", "ERROR what is that\n"])
                # A process asks the others, and waits for a fifth of a second.
                found = []
                for _ in range(300):
                    if found := who(addresses[-1], "lobby"):
                        break
                expect(found, ["ann"])

            def kill():
                processes[0][0].send_signal(signal.SIGKILL)
                print(f"killed the process on {LOOPS[0]}", flush=True)

            findings, resumed = asyncio.run(load.load(addresses, meanwhile=kill))
            expect(findings, [])
            expect(resumed >= 100, True)
            print("the chat: in order")
        finally:
            for process, _ in processes:
                process.kill()
            server.kill()
            server.wait()


def expect(found, wanted):
    if found != wanted:
        raise SystemExit(f"expected {wanted!r}, found {str(found)[:2000]}")


if __name__ == "__main__":
    main()
