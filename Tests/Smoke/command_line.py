# SPDX-License-Identifier: MIT
"""The echo server's errors for wrong command lines and for refusals of the system, and the usage of every example program."""
import os
import socket
import subprocess
from pathlib import Path

from server import BINARIES, expect


def run(*arguments, prefix=(), binary=BINARIES / "echo-server"):
    result = subprocess.run([*prefix, binary, *arguments], capture_output=True, text=True, timeout=20)
    return result.returncode, result.stdout, result.stderr


def expect_usage(arguments, *words):
    code, output, errors = run(*arguments)
    expect(code == 64, f"{arguments}: exit {code}, not 64: {errors}")
    expect(output == "", f"{arguments}: it printed {output!r}")
    for word in words:
        expect(word in errors, f"{arguments}: {word!r} is not in {errors!r}")


def expect_refusal(result, *words):
    code, output, errors = result
    expect(code == 1, f"exit {code}, not 1: {errors}")
    expect(output == "", f"it printed {output!r}")
    expect(errors.count("\n") == 1, f"it is not one line: {errors!r}")
    for word in words:
        expect(word in errors, f"{word!r} is not in {errors!r}")


def unknown_loop():
    expect_usage(["--loop", "kqueue"], "dispatch", "libuv", "libevent")


def bad_port():
    for port in ["65536", "-1", "99999999999999999999", "http"]:
        expect_usage([f"--port={port}"], "port")
    expect_usage(["--port", "65536"], "0 to 65535")


def bad_address():
    for host in ["localhost", "256.0.0.1", "1.2.3", ":::1", " ", "[127.0.0.1]", "fe80::1%nosuchinterface"]:
        expect_usage([f"--host={host}"], "127.0.0.1", "::1")


# Programs of the folder that are not examples.
TESTS = {"LinkageCheck", "UnspecialisedDebug", "UnspecialisedRelease", "guest-clients"}


def usage():
    """Every program answers --help, and arguments that it does not have, with its usage, and does nothing else."""
    programs = [path for path in BINARIES.iterdir() if path.is_file() and os.access(path, os.X_OK) and not path.suffix]
    programs = sorted(path for path in programs if path.name not in TESTS)
    expect(len(programs) > 15, f"only {len(programs)} programs")
    for program in programs:
        for arguments in (["--help"], ["-h"], ["--no-such-option"]):
            try:
                code, output, errors = run(*arguments, binary=program)
            except subprocess.TimeoutExpired:
                expect(False, f"{program.name} {arguments} does not exit")
            text = f"{program.name} {arguments}: exit {code}: {output}{errors}"
            expect(code in ((0, 64) if arguments[0] in ("--help", "-h") else (64,)), text)
            expect("usage: " in (output + errors).lower() and "listening on" not in output, text)
    return f"{len(programs)} programs"


def port_taken(loop):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        expect_refusal(run("--loop", loop, "--port", str(port)), f"127.0.0.1:{port}", "Address already in use")


def address_elsewhere(loop):
    expect_refusal(run("--loop", loop, "--host", "192.0.2.1", "--port", "0"), "192.0.2.1:0", "Cannot assign")


def no_permission(loop):
    # Not as root, and in a new network namespace, where low ports are privileged whatever the machine's setting.
    prefix = []
    if int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()) == 0 and os.geteuid() == 0:
        prefix = ["unshare", "--net"]
    if os.geteuid() == 0:
        # Still root, which can read the program anywhere, but without the right to use low ports.
        prefix += ["setpriv", "--inh-caps=-net_bind_service", "--bounding-set=-net_bind_service"]
    result = run("--loop", loop, "--host", "0.0.0.0", "--port", "80", prefix=prefix)
    expect_refusal(result, "0.0.0.0:80", "Permission denied")


def missing_trait():
    """The missing loops and the missing TLS of an echo server built without traits (SMOKE_BARE_SERVER)."""
    for loop, trait in [("libuv", "Libuv"), ("libevent", "Libevent")]:
        result = run("--loop", loop, "--port", "0", binary=os.environ["SMOKE_BARE_SERVER"])
        expect_refusal(result, loop, f"trait {trait}")
    code, output, errors = run("--tls-cert", "cert.pem", "--tls-key", "key.pem", binary=os.environ["SMOKE_BARE_SERVER"])
    expect(code == 64 and output == "" and "the package trait TLS" in errors, f"exit {code}: {output}{errors}")
