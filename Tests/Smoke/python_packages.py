# SPDX-License-Identifier: MIT
"""Python packages in virtual environments below .build."""
import venv

from report import run
from server import ROOT

# The network may fail for a moment.
INSTALL = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "10", "--timeout", "60"]


def environment(name, *packages):
    """Installs the packages into the environment of this name. Returns the environment's folder."""
    folder = ROOT / ".build" / name
    # An installation that was cut off leaves no pip.
    if not (folder / "bin/pip").exists():
        venv.create(folder, with_pip=True)
    run(folder / "bin/python", *INSTALL, *packages)
    return folder
