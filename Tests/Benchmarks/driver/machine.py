# SPDX-License-Identifier: MIT
"""Describes the machine and the software versions."""
import datetime
import os
import platform
import re
import subprocess

import places


def first(pattern, text, otherwise="unknown"):
    found = re.search(pattern, text, re.M)
    return found.group(1).strip() if found else otherwise


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return ""


def package(name):
    return first(r"^([\d.]+)", output("dpkg-query", "-W", "-f=${Version}", name))


def resolved(name):
    pins = read(os.path.join(places.PACKAGE, "Package.resolved"))
    return first(rf'"identity" : "{name}",.*?"version" : "([^"]+)"', re.sub(r"\s+", " ", pins))


def describe():
    processor = first(r"^model name\s*: (.+)$", read("/proc/cpuinfo"))
    system = first(r'^PRETTY_NAME="(.+)"$', read("/etc/os-release"))
    compiler = first(r"^(gcc|clang)", output("cc", "--version"), "cc")
    versions = [
        f"Swift {first(r'Swift version ([0-9.]+)', output(places.SWIFT, '--version'))}",
        f"{compiler} {output('cc', '-dumpfullversion').strip()} -O2",
        f"libuv {package('libuv1-dev')}",
        f"libevent {package('libevent-dev')}",
        f"SwiftNIO {resolved('swift-nio')}",
        f"OpenCombine {resolved('opencombine')}",
    ]
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "revision": output("git", "-C", places.ROOT, "rev-parse", "--short", "HEAD").strip(),
        "machine": f"{os.cpu_count()} CPUs ({processor}), Linux {platform.release().split('-')[0]}, {system}",
        "versions": ", ".join(versions),
    }
