# SPDX-License-Identifier: MIT
"""The scanners sslyze and testssl.sh, against the echo server. They may object to the test CA only."""
import json
import os
import re
import subprocess
from pathlib import Path

from report import check
from server import expect
from tls_clients import tls_echo
from tls_peer import file

SERIOUS = {"MEDIUM", "HIGH", "CRITICAL", "FATAL"}
# What testssl.sh says about the test CA: it names neither a list of revoked certificates nor a server to ask.
OF_THE_TEST_CA = {"cert_chain_of_trust", "cert_crlDistributionPoints", "cert_ocspURL", "cert_revocation", "OCSP_stapling"}
# sslyze compares with the certificate authorities of browsers.
UNTRUSTED = "certificate_path_validation"


def sslyze(python, key):
    """Mozilla's intermediate configuration."""
    with tls_echo("dispatch", certificate=key) as server:
        said = subprocess.run([python, "-W", "ignore", "-m", "sslyze", "--mozilla_config=intermediate", f"localhost:{server.port}"],
                              capture_output=True, text=True, timeout=300).stdout
    found = re.findall(r"^        \* (\w+): (.*)$", said.split("COMPLIANCE AGAINST")[-1], re.M)
    expect("Checking results against Mozilla's \"intermediate\"" in said, said[-1000:])
    expect(found and all(name == UNTRUSTED for name, _ in found), f"{found}")
    return "compliant, except that no browser trusts the test CA"


def testssl(key, folder):
    """Every test of testssl.sh that applies without HTTP."""
    path = Path(folder, f"testssl-{key}.json")
    with tls_echo("dispatch", certificate=key) as server:
        result = subprocess.run(["testssl", "--quiet", "--color", "0", "--warnings", "batch", "--add-ca", file("ca.pem"),
                                 "--jsonfile", path, f"localhost:{server.port}"], capture_output=True, text=True,
                                timeout=600, env={**os.environ, "TERM": "dumb"})
    expect(path.exists(), result.stdout[-1000:] + result.stderr[-1000:])
    findings = json.loads(path.read_text())
    expect(len(findings) > 80, f"only {len(findings)} findings")
    serious = [(each["id"], each["severity"], each["finding"]) for each in findings if each["severity"] in SERIOUS]
    others = [each for each in serious if each[0].split(" ")[0] not in OF_THE_TEST_CA]
    expect(not others, f"{others}")
    return f"{len(findings)} findings; of severity MEDIUM or higher: {[each[0] for each in serious]}"


def checks(python, folder):
    for key in ["server", "rsa"]:
        name = "ECDSA" if key == "server" else "RSA"
        check(f"sslyze, {name}", lambda: sslyze(python, key))
        check(f"testssl.sh, {name}", lambda: testssl(key, folder))
