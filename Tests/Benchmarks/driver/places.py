# SPDX-License-Identifier: MIT
"""The folders, and how programs are built and run."""
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(PACKAGE))
OUT = os.path.join(ROOT, ".build", "bench")
SWIFT = os.environ.get("SWIFT", "swift")

# The packages that each C program needs.
C_PROGRAMS = {
    "load": ("../Smoke/load.c", []),
    "epoll_echo": ("C/epoll_echo.c", []),
    "uv_echo": ("C/uv_echo.c", ["-luv"]),
    "lev_echo": ("C/lev_echo.c", ["-levent_core", "-levent_extra"]),
    "open_load": ("C/open_load.c", []),
    "timers": ("C/timers.c", ["-luv", "-levent_core"]),
    "hop": ("C/hop.c", ["-luv", "-levent_core", "-levent_pthreads", "-lpthread"]),
    "tls_echo": ("C/tls_echo.c", ["-lssl", "-lcrypto"]),
    "tls_load": ("C/tls_load.c", ["-lssl", "-lcrypto"]),
    "mcount.so": ("C/mcount.c", ["-shared", "-fPIC"]),
}


def c(name):
    return os.path.join(OUT, name)


def swift(name):
    return os.path.join(PACKAGE, ".build", "release", name)


def build_c(names=C_PROGRAMS):
    os.makedirs(OUT, exist_ok=True)
    headers = glob.glob(os.path.join(PACKAGE, "C", "*.h"))
    for name in names:
        source, libraries = C_PROGRAMS[name]
        source = os.path.join(PACKAGE, source)
        newest = max(os.path.getmtime(path) for path in [source, *headers])
        if not os.path.exists(c(name)) or os.path.getmtime(c(name)) < newest:
            subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", c(name), source, *libraries], check=True)


def build_swift(products):
    for product in products:
        print(f"building {product}", file=sys.stderr, flush=True)
        subprocess.run([SWIFT, "build", "--disable-index-store", "-c", "release", "--package-path", PACKAGE, "--product", product], check=True)


def stripped(program):
    """Makes a copy that valgrind can read, because it does not understand the Swift compiler's debug information."""
    folder = os.path.join(OUT, "stripped")
    os.makedirs(folder, exist_ok=True)
    copy = os.path.join(folder, os.path.basename(program))
    if not os.path.exists(copy) or os.path.getmtime(copy) < os.path.getmtime(program):
        shutil.copy(program, copy)
        subprocess.run(["strip", "-g", copy], check=True)
    return copy


def bound(command, cpu):
    return command if cpu is None else ["taskset", "-c", str(cpu), *command]


def samples(command, cpu=None, environment=None, timeout=300):
    """Runs a program that prints one JSON object a line."""
    run = subprocess.run(
        bound(command, cpu), stdout=subprocess.PIPE, text=True, timeout=timeout, env={**os.environ, **(environment or {})}
    )
    if run.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} has ended with {run.returncode}")
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
