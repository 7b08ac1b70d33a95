"""Install packages of Debian where that may be done: as root, by apt.

    python3 -I tools/apt.py python3-venv

It waits while another apt is at work, and needs nothing but Python itself: without
`python3-venv` there is no environment yet.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time

MAX_WAIT_SECONDS = 600  # for another apt to end
RETRY_SECONDS = 5


def install(*packages: str) -> bool:
    """Install packages; returns whether they are installed now."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not is_root or shutil.which("apt-get") is None:
        return False
    print(f"Installing {' '.join(packages)} by apt ...", flush=True)
    _run("update")  # that failing, lists that are there already may do
    return _run("install", "--yes", "--no-install-recommends", *packages)


def _run(*words: str) -> bool:
    """Run apt, again and again while another one holds what only one may."""
    quiet = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    for waited in range(0, MAX_WAIT_SECONDS, RETRY_SECONDS):
        done = subprocess.run(
            ["apt-get", "-qq", *words],
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        if "Could not get lock" not in done.stderr:
            break
        if not waited:
            print("Another apt is at work: waiting for it ...", flush=True)
        time.sleep(RETRY_SECONDS)
    if done.returncode != 0:
        print(done.stderr.strip(), file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Install packages of Debian by apt.")
    parser.add_argument("packages", nargs="+")
    sys.exit(not install(*parser.parse_args().packages))
