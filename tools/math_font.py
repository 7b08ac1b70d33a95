"""Make the font of the book's formulas: a part of STIX Two Math, as small as may be.

    python -m tools.math_font            # after `make book`; downloads the font by npm

It holds the characters of all formulas in the built book, with their larger forms, and
for each letter the italic one that a browser sets in its place. When a formula brings
a character of its own, a test says so: then run this again.

It needs what `requirements.txt` installs, and npm; and works in a checkout only.
"""

import argparse
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from bs4 import BeautifulSoup
from fontTools.subset import Options, Subsetter, load_font, save_font

from tools.authoring import ROOT

PACKAGE = "@fontsource/stix-two-math@5.3.0"
FILE = "package/files/stix-two-math-latin-400-normal.woff2"
FONT = ROOT / "book" / "_static" / "fonts" / "stix-two-math.woff2"


def characters(pages: Iterable[Path]) -> set[str]:
    """All characters that the formulas of these pages are set in."""
    found: set[str] = set()
    for page in pages:
        formulas = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        for part in formulas.select("math :is(mi, mo, mn, mtext), .math .tag"):
            text = part.get_text()
            found.update(text)
            if part.name == "mi" and len(text) == 1 and not part.get("mathvariant"):
                found.add(italic(text))
        if formulas.select("math :is(msqrt, mroot)"):
            found.add("√")  # drawn by the browser, written nowhere
    return found - set("\n\N{INVISIBLE SEPARATOR}\N{FUNCTION APPLICATION}")


def italic(letter: str) -> str:
    """The italic letter that MathML sets in the place of one that stands alone."""
    if letter == "h":
        return "\N{PLANCK CONSTANT}"
    if letter == "∂":
        return "\N{MATHEMATICAL ITALIC PARTIAL DIFFERENTIAL}"
    name = unicodedata.name(letter).replace(" LETTER", "").replace("LATIN ", "")
    try:
        return unicodedata.lookup(f"MATHEMATICAL ITALIC {name.removeprefix('GREEK ')}")
    except KeyError:
        return letter


def make_font(source: Path, wanted: set[str], output: Path) -> None:
    """Write the part of a font that these characters need."""
    options = Options()
    options.flavor = "woff2"
    options.layout_features = ["ssty", "dtls", "mark", "mkmk"]
    options.hinting = False
    font = load_font(str(source), options)
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(sorted(wanted)))
    subsetter.subset(font)
    save_font(font, str(output), options)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.math_font",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--html", type=Path, default=ROOT / "_build/html")
    parser.add_argument("--output", type=Path, default=FONT)
    options = parser.parse_args(arguments)
    wanted = characters(sorted(options.html.rglob("book/**/*.html")))
    if not wanted:
        parser.error(f"no formulas in {options.html}: build the book first")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as files:
            files.extract(FILE, folder, filter="data")
        make_font(Path(folder, FILE), wanted, options.output)
    print(f"{options.output}: {len(wanted)} characters, ", end="")
    print(f"{options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
