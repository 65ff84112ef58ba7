# SPDX-License-Identifier: MIT
"""Echo servers with TLS: one loop thread on CPU 0, and the load generator on CPU 1."""
import os
import subprocess

import places
import servers
import turns
from model import OURS, Column, Group, Limit, Part, Table

CERTIFICATE = os.path.join(places.OUT, "tls", "chain.pem")
KEY = os.path.join(places.OUT, "tls", "key.pem")
LOADS = {
    "tls 50 x 64 B": ["-c", "50", "-m", "64"],
    "tls 50 x 64 B x 16": ["-c", "50", "-m", "64", "-P", "16"],
    "tls 10 x 16 KiB x 4": ["-c", "10", "-m", "16384", "-P", "4"],
    "tls bulk": ["-c", "1", "-m", "65536", "-P", "4"],
}
CHURN = ["-M", "churn", "-c", "16", "-m", "64", "-n", "200"]
HANDSHAKES = {
    "tls handshake": CHURN,
    "tls resumption": [*CHURN, "-R"],
    "tls 1.2 handshake": [*CHURN, "-2"],
    "tls 1.2 resumption": [*CHURN, "-2", "-R"],
}
TITLES = {
    "tls 50 x 64 B": "50 connections × 64 B",
    "tls 50 x 64 B x 16": "50 connections × 64 B, 16 under way",
    "tls 10 x 16 KiB x 4": "10 connections × 16 KiB, 4 under way",
    "tls bulk": "one connection, 64 KiB at a time, 4 under way",
    "tls handshake": "connect, full handshake, echo, close",
    "tls resumption": "connect, resumed handshake, echo, close",
    "tls 1.2 handshake": "the same with TLS 1.2, full handshake",
    "tls 1.2 resumption": "the same with TLS 1.2, resumed",
}
WHOS = ["c-openssl", "nio", *OURS]
IDLE = 2000


def tls_servers():
    """Each is (command, whether it prints its port)."""
    files = ["--chain", CERTIFICATE, "--key", KEY]
    ours = [places.swift("reactive-tls-bench"), *files]
    return {
        "c-openssl": ([places.c("tls_echo"), "0", CERTIFICATE, KEY], True),
        "nio": ([places.swift("nio-tls-bench"), *files], True),
        **{who: ([*ours, "--loop", who], True) for who in OURS},
    }


def create_certificate():
    os.makedirs(os.path.dirname(KEY), exist_ok=True)
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", KEY, "-out", CERTIFICATE,
        ],
        check=True, stderr=subprocess.DEVNULL,
    )


def part(options):
    echoing, connecting = turns.echoing(options.seconds, "tls_load"), turns.connecting("tls_load")
    groups = [turns.group(row, load, echoing, tls_servers()) for row, load in LOADS.items()]
    groups += [turns.group(row, load, connecting, tls_servers()) for row, load in HANDSHAKES.items()]
    groups.append(Group("tls idle", {who: idle(who) for who in WHOS}))
    return Part(
        name="tls",
        title="TLS",
        intro=(
            "CPU time of an echo server with TLS for each message or connection. One loop thread runs alone on CPU 0, and the load "
            "generator (`Tests/Benchmarks/C/tls_load.c`) on CPU 1. All servers use TLS_AES_128_GCM_SHA256 (in TLS 1.2 "
            "ECDHE-ECDSA-AES128-GCM-SHA256), X25519 and an ECDSA certificate on P-256. The C server uses epoll and OpenSSL's socket "
            "BIO, with the same library as ours. SwiftNIO's uses swift-nio-ssl, which contains BoringSSL. All servers of a round run "
            "at the same time, and get load in turn, twelve times each."
        ),
        products=["reactive-tls-bench", "nio-tls-bench"],
        groups=groups,
        tables=tables(),
        limits=limits(),
        prepare=create_certificate,
    )


def idle(who):
    def measure():
        command, says_port = tls_servers()[who]
        with servers.Server(command, says_port, around=servers.SMALL_PAGES) as server:
            found = servers.load(server, ["-M", "idle", "-c", str(IDLE), "-m", "64"], program="tls_load")
        return [{"row": "tls idle", "who": who, "n": IDLE, "cpu_ns": None, "bytes": found["bytes_per_conn"]}]

    return measure


def tables():
    return [
        Table(
            "Server CPU, ns a message or a connection", "ns",
            [Column(row, TITLES[row], reference="c-openssl") for row in TITLES], WHOS,
        ),
        Table(
            f"{IDLE:,} idle connections after an echo".replace(",", " "), "",
            [Column("tls idle", "bytes a connection", "bytes")], WHOS,
            note="The growth of the resident memory of the process, divided by the number of connections.",
        ),
    ]


def limits():
    found = []
    for who in OURS:
        for row in TITLES:
            found.append(Limit(row, who, 1.05 if row == "tls bulk" else 1.10, "c-openssl"))
            found.append(Limit(row, who, 1.0, "nio"))
        found.append(Limit("tls idle", who, 1.0, "nio", metric="bytes"))
        # OpenSSL's own memory and 1 KiB.
        found.append(Limit("tls idle", who, 1024, "c-openssl", metric="bytes", is_difference=True))
    return found
