"""Hold every page of the built book against Lighthouse.

    make lighthouse                     # on an idle machine; needs Node and a network
    python -m benchmarks.lighthouse 03_self_attention --runs 3
    python -m benchmarks.lighthouse --phone

Lighthouse comes from npm by `npx`, in the version below; its settings stand in
`lighthouse.json`, and the pages come from `tools.serve`. Unless told otherwise it
plays a desktop computer (10 Mbit/s, 40 ms); `--phone` plays a slow telephone
(1.6 Mbit/s, 150 ms, a processor four times slower than this one). Network and
processor are simulated: Lighthouse loads the page once at full speed and computes from
the trace how long it would have taken there. Performance still depends on the machine
and what else it does: of several runs the median counts.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from operator import lt
from pathlib import Path
from statistics import median

from tools.authoring import ROOT
from tools.browser import find_browsers
from tools.pdf import page_contents
from tools.serve import serving

LIGHTHOUSE = "lighthouse@12.8.2"
CATEGORIES = ["performance", "accessibility", "best-practices", "seo"]
MIN_SCORES = {"desktop": [98, 100, 100, 100], "phone": [90, 100, 100, 100]}
TIMINGS = {
    "first-contentful-paint": "first paint",
    "largest-contentful-paint": "largest paint",
    "total-blocking-time": "blocked",
    "cumulative-layout-shift": "shift",
}


def audit(address: str, phone: bool = False) -> dict:
    """Return Lighthouse's report on a page."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        flags = f"--cli-flags-path={Path(__file__).with_suffix('.json')}"
        command = [shutil.which("npx"), "--yes", LIGHTHOUSE, address, flags]
        if not phone:
            command.append("--preset=desktop")
        found = find_browsers()
        subprocess.run(
            [*command, f"--output-path={report}"],
            env=os.environ | ({"CHROME_PATH": found[0]} if found else {}),
            check=True,
        )
        return json.loads(report.read_text(encoding="utf-8"))


def scores(report: dict) -> dict[str, int]:
    """Return the scores of a report, 0 to 100, by category."""
    return {
        name: round(100 * report["categories"][name]["score"]) for name in CATEGORIES
    }


def timings(report: dict) -> str:
    """Return what performance is made of, as one line."""
    audits = report["audits"]
    parts = (f"{name} {audits[key]['displayValue']}" for key, name in TIMINGS.items())
    return ", ".join(parts).replace("\N{NO-BREAK SPACE}", " ")


def faults(report: dict) -> list[str]:
    """Return the titles of what is wrong, performance aside."""
    found = []
    for name, category in report["categories"].items():
        for part in category["auditRefs"]:
            one = report["audits"][part["id"]]
            if name != "performance" and part["weight"] and one["score"] == 0:
                found.append(f"{name}: {one['title']}")
    return found


def main() -> int:
    """Print a line for each page; return 1 if one is below what is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="*", help="all when left out")
    parser.add_argument("--html", type=Path, default=ROOT / "_build/html")
    parser.add_argument("--runs", type=int, default=1, help="of each page")
    parser.add_argument("--phone", action="store_true", help="play a slow telephone")
    options = parser.parse_args()
    if shutil.which("npx") is None:
        parser.error("Lighthouse needs Node.js and its npx")
    print(f"{'page':<20}" + "".join(f"{name:>16}" for name in CATEGORIES))
    least = MIN_SCORES["phone" if options.phone else "desktop"]
    failed = False
    with serving(options.html) as address:
        for page in options.pages or page_contents():
            url = f"{address}/book/{page}.html"
            reports = [audit(url, options.phone) for _ in range(options.runs)]
            runs = [scores(report) for report in reports]
            middle = [median(run[name] for run in runs) for name in CATEGORIES]
            line = "".join(f"{value:>16g}" for value in middle)
            print(f"{page:<20}{line}   {timings(reports[-1])}", flush=True)
            if any(map(lt, middle, least)):
                failed = True
                for fault in faults(reports[-1]):
                    print(f"    {fault}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
