# SPDX-License-Identifier: MIT
"""TLS with programs of other projects: clients against our servers, and our client against their servers, on every loop.

    python3 Tests/Smoke/tls.py [PART ...]

The parts are clients, servers, failures, reload, conversations and scanners; all by default. Uses the release programs of
Examples/.build (or of SMOKE_BINARIES). Needs openssl, curl, gnutls-bin, redis-tools, nginx-light, libnginx-mod-stream, stunnel4 and
testssl.sh of Debian, and the package index, from which tlslite-ng and sslyze are installed into .build/tls-python. It creates
.build/certificates. SMOKE_LOOPS selects the loops (all three), and SMOKE_TLS_BYTES the number of bytes each way (16 MiB). Prints one
line for each check, and exits with 1 if one failed.
"""
import os
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

import tls_clients as clients
import tls_failures as failures
import tls_scanners as scanners
import tls_servers as servers
from python_packages import environment
from report import check, run, totals
from server import ROOT, expect
from tls_clients import VERSIONS, tls_echo

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
HERE = Path(__file__).resolve().parent
PARTS = ["clients", "servers", "failures", "reload", "conversations", "scanners"]
PYTHON = ROOT / ".build/tls-python/bin/python"


def client_checks(loop, folder):
    for key in ["server", "rsa"]:
        with tls_echo(loop, certificate=key) as server:
            for version in VERSIONS:
                name = f"{loop}: TLS {version}, {'ECDSA' if key == 'server' else 'RSA'}"
                check(f"{name}: openssl s_client", lambda: clients.s_client_bytes(server, version))
                # gnutls-cli needs more than ten seconds for 16 MiB.
                data = clients.DATA if key == "server" else clients.DATA[:1 << 20]
                check(f"{name}: gnutls-cli", lambda: clients.gnutls_bytes(server, version, folder, data))
                check(f"{name}: Python ssl", lambda: clients.python_bytes(server, version))
                check(f"{name}: Python asyncio", lambda: clients.asyncio_bytes(server, version))
    with tls_echo(loop) as server:
        check(f"{loop}: half-close in TLS 1.3", lambda: clients.half_close(server))
        check(f"{loop}: close_notify in TLS 1.2 ends both directions", lambda: clients.close_of_1_2(server))
        check(f"{loop}: openssl s_client -reconnect resumes", lambda: clients.s_client_reconnect(server))
        check(f"{loop}: openssl s_client -sess_in resumes", lambda: clients.s_client_session(server, folder))
        check(f"{loop}: gnutls-cli --resume resumes", lambda: clients.gnutls_resumes(server))
        for version in VERSIONS:
            check(f"{loop}: Python ssl resumes TLS {version}", lambda: clients.python_resumes(server, version))
    for version in VERSIONS:
        check(f"{loop}: TLS {version}: curl through port-forward", lambda: clients.curl(loop, version, folder))
        check(f"{loop}: TLS {version}: client certificates", lambda: clients.client_certificates(loop, version))
    check(f"{loop}: redis-cli and redis-benchmark --tls", lambda: clients.redis(loop))


def conversations(loop):
    """Runs in the virtual environment, and prints one line for each conversation."""
    result = subprocess.run([PYTHON, HERE / "tls_conversations.py", loop], stdout=subprocess.PIPE, text=True)
    lines = result.stdout.splitlines()
    print("\n".join(lines[:-1]), flush=True)
    expect(result.returncode == 0, lines[-1] if lines else "it printed nothing")
    return lines[-1]


def main():
    parts = sys.argv[1:] or PARTS
    if unknown := set(parts) - set(PARTS):
        sys.exit(f"there is no part {unknown}: the parts are {PARTS}")
    if {"conversations", "scanners"} & set(parts):
        environment("tls-python", "tlslite-ng==0.8.2", *(["sslyze==6.3.1"] if "scanners" in parts else []))
    run(HERE / "certificates.sh")
    print(f"{ssl.OPENSSL_VERSION} in Python; {run('openssl', 'version').decode().strip()}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for loop in LOOPS:
            if "clients" in parts:
                client_checks(loop, folder)
            if "servers" in parts:
                servers.checks(loop, folder)
            if "failures" in parts:
                failures.checks(loop, folder)
            if "reload" in parts:
                check(f"{loop}: SIGHUP reloads the certificate", lambda: servers.reload(loop, folder))
            if "conversations" in parts:
                check(f"{loop}: conversations with tlslite-ng", lambda: conversations(loop))
        if "scanners" in parts:
            scanners.checks(PYTHON, folder)
    return totals()


if __name__ == "__main__":
    sys.exit(main())
