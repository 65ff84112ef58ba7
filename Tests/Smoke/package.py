#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs the package of the examples in a new Debian 12, runs its programs there as systemd would, and removes it."""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from server import ROOT, Failed, expect

SUITE = "bookworm"
CACHE = ROOT / ".build/package/debian"
PACKAGE = "swift-reactive-examples"
LOOPS = ["dispatch", "libuv", "libevent"]


def run(*command, **options):
    """Runs a command. Returns its output, or fails with all it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **options)
    expect(done.returncode == 0, f"{' '.join(map(str, command))} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


def new_system(folder):
    """A minimal Debian with systemd's programs in the folder. Nothing of it is started. It is downloaded once, from the mirror of this machine."""
    if not (CACHE / "complete").exists():
        shutil.rmtree(CACHE, ignore_errors=True)
        CACHE.parent.mkdir(parents=True, exist_ok=True)
        targets = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", f"Codename: {SUITE}")
        mirrors = targets.split()[:1]  # Without one, debootstrap uses its own.
        run("debootstrap", "--variant=minbase", "--include=systemd", SUITE, str(CACHE), *mirrors)
        (CACHE / "complete").touch()
    run("cp", "-a", f"{CACHE}/.", str(folder))
    for name in ["/etc/resolv.conf", *map(str, Path("/etc/apt/apt.conf.d").glob("*proxy*"))]:
        if Path(name).exists():
            shutil.copyfile(name, f"{folder}{name}")


def inside(system, *command, user="0"):
    """The words that run a command in the system. A Swift program reads its arguments from /proc, which is mounted for
    this command alone."""
    script = 'mount -t proc proc "$0/proc" && exec chroot --userspec="$1" "$0" "${@:2}"'
    return ["unshare", "--mount", "bash", "-c", script, str(system), user, *command]


class Activated:
    """A program in the system, started as systemd starts a service that has a socket unit."""

    def __init__(self, system, program, *options):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        notifications = f"{system}/run/notify"
        Path(notifications).unlink(missing_ok=True)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(notifications)
        os.chmod(notifications, 0o777)
        self.notify.settimeout(60)
        # exec keeps the process number, which LISTEN_PID must name.
        script = f'exec 3<&{self.listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        command = inside(system, f"/usr/bin/{program}", "--activation", *options, user="65534")
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command],
            pass_fds=[self.listener.fileno()],
            env={"PATH": os.environ["PATH"], "NOTIFY_SOCKET": "/run/notify"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_until(self, state):
        """Waits for a line of the service's notifications."""
        while True:
            try:
                received = self.notify.recv(4096).decode().split("\n")
            except TimeoutError:
                self.process.kill()
                raise Failed(f"no {state} within 60 s; the program printed:\n{self.process.communicate()[0]}") from None
            if state in received:
                return

    def ask(self, request, reply):
        with socket.create_connection(self.address, timeout=60) as connection:
            connection.sendall(request)
            received = b""
            while len(received) < len(reply):
                chunk = connection.recv(len(reply))
                expect(chunk, f"the connection ended after {received!r}")
                received += chunk
            expect(received == reply, f"{received!r} instead of {reply!r}")

    def stop(self):
        self.process.terminate()
        self.wait_until("STOPPING=1")
        output, _ = self.process.communicate(timeout=60)
        expect(self.process.returncode == 0, f"the service exited with {self.process.returncode}:\n{output}")
        self.notify.close()
        self.listener.close()


def check(system, package):
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    shutil.copyfile(package, system / "package.deb")
    run(*inside(system, "apt-get", "update", "-qq"), env=environment)
    run(*inside(system, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "/package.deb"), env=environment)
    files = [Path(f"{system}{name}") for name in run(*inside(system, "dpkg", "-L", PACKAGE)).split("\n") if name != "/."]
    programs = [path.name for path in files if path.parent.name == "bin"]
    units = [path for path in files if path.suffix in (".service", ".socket")]
    expect(len(programs) == 7 and len(units) == 4, f"the package has the programs {programs} and the units {units}")
    for program in programs:
        expect("USAGE" in run(*inside(system, f"/usr/bin/{program}", "--help")), f"{program} --help prints no usage")
    libraries = run("ldd", *(path for path in files if path.parent.name == "bin"))
    expect("libswift" not in libraries and "libFoundation" not in libraries, f"a program needs Swift's runtime:\n{libraries}")
    print(f"package: {len(programs)} programs run without a Swift runtime")

    for loop in LOOPS:
        for program, request, reply in [
            ("reactive-echo-server", b"hello", b"hello"),
            ("reactive-key-value-server", b"PING\r\n", b"+PONG\r\n"),
        ]:
            service = Activated(system, program, "--loop", loop)
            service.wait_until("READY=1")
            service.ask(request, reply)
            service.stop()
            print(f"package: {program} on {loop} was activated, became ready, answered and stopped")

    for unit in units:
        warnings = run(*inside(system, "systemd-analyze", "verify", "--man=no", f"/lib/systemd/system/{unit.name}"))
        expect(not warnings.strip(), f"systemd-analyze verify {unit.name}:\n{warnings}")
    for unit in (unit for unit in units if unit.suffix == ".service"):
        report = run(*inside(system, "systemd-analyze", "security", "--offline=yes", "--no-pager", f"/lib/systemd/system/{unit.name}"))
        exposure = float(re.search(r"exposure level for \S+: ([\d.]+)", report)[1])
        expect(exposure <= 2.0, f"{unit.name} has an exposure of {exposure}, and 2.0 is allowed:\n{report}")
        print(f"package: systemd-analyze accepts {unit.name}, exposure {exposure}")

    run(*inside(system, "apt-get", "purge", "-y", "-qq", PACKAGE), env=environment)
    left = [path for path in files if not path.is_dir() and path.exists()]
    expect(not left, f"files remain after a purge: {left}")
    print("package: a purge removes every file")


def main():
    if os.geteuid() != 0:
        sys.exit("package: chroot and debootstrap need root: run it with sudo")
    packages = list((ROOT / ".build/package").glob(f"{PACKAGE}_*.deb"))
    if len(packages) != 1:
        sys.exit(f"package: expected one package in .build/package, found {len(packages)}: run make package")
    with tempfile.TemporaryDirectory(prefix="debian-", dir=ROOT / ".build/package") as folder:
        try:
            system = Path(folder)
            new_system(system)
            system.chmod(0o755)
            check(system, packages[0])
        except Failed as failure:
            sys.exit(f"package: {failure}")


main()
