"""Make the book's fonts: parts of well-known ones, as small as may be.

    python -m tools.fonts text   # the text's: Source Serif 4
    python -m tools.fonts math   # the formulas': STIX Two Math; after `make book`

Both come from npm and are free (SIL Open Font License). The text's font has the letters
of western Europe's languages, upright in all weights from 400 to 700 and italic in one;
what it lacks comes from the reader's machine. The formulas' font holds the characters
of all formulas in the built book, with their larger forms, and for each letter the
italic one that a browser sets in its place. When a formula brings a character of its
own, a test says so: then run this again.

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
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from tools.authoring import ROOT

FOLDER = ROOT / "book" / "_static" / "fonts"

MATH_PACKAGE = "@fontsource/stix-two-math@5.3.0"
MATH_FILE = "stix-two-math-latin-400-normal.woff2"
MATH_FEATURES = ["ssty", "dtls", "mark", "mkmk"]
FONT = FOLDER / "stix-two-math.woff2"

TEXT_PACKAGE = "@fontsource-variable/source-serif-4@5.3.0"
TEXT_FEATURES = ["kern", "liga", "calt", "ccmp", "locl", "mark", "lnum", "tnum"]
TEXT_CHARACTERS = {
    *map(chr, range(0x20, 0x7F)),  # ASCII
    *map(chr, range(0xA0, 0x100)),  # Latin-1
    *"–—‘’‚“”„…•′″←→↑↓≤≥≠≈×·−√∞ŁłŐőŰűŠšŽžČčŘřĚě",
}
# Of each face the weights that it keeps.
TEXT_FACES = {"normal": (400, 700), "italic": 400}


def characters_of_pages(pages: Iterable[Path]) -> set[str]:
    """Return all characters that the formulas of these pages are set in."""
    found: set[str] = set()
    for page in pages:
        formulas = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        for part in formulas.select("math :is(mi, mo, mn, mtext), .math .tag"):
            text = part.get_text()
            found.update(text)
            if part.name == "mi" and len(text) == 1 and not part.get("mathvariant"):
                found.add(math_italic(text))
        if formulas.select("math :is(msqrt, mroot)"):
            found.add("√")  # drawn by the browser, written nowhere
    return found - set("\n\N{INVISIBLE SEPARATOR}\N{FUNCTION APPLICATION}")


def math_italic(letter: str) -> str:
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


def make_font(
    font: TTFont, wanted: set[str], features: list[str], output: Path
) -> None:
    """Write the part of a font that these characters need."""
    options = Options()
    options.layout_features = features
    options.hinting = False
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(sorted(wanted)))
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(output)
    print(f"{output}: {len(wanted)} characters, {output.stat().st_size} bytes")


def download(package: str, files: Iterable[str], folder: str) -> list[TTFont]:
    """Return the fonts of these names in a package of npm's, unpacked in a folder."""
    subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True)
    (archive,) = Path(folder).glob("*.tgz")
    with tarfile.open(archive) as inside:
        for name in files:
            inside.extract(f"package/files/{name}", folder, filter="data")
    return [TTFont(Path(folder, "package", "files", name)) for name in files]


def rename(font: TTFont, name: str) -> None:
    """Give a font another name: a changed one may not keep one that is reserved."""
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16):  # family, full name, and the like
            record.string = name


def make_text_fonts(output: Path) -> None:
    """Write both faces of the text's font."""
    names = [f"source-serif-4-latin-wght-{face}.woff2" for face in TEXT_FACES]
    with tempfile.TemporaryDirectory() as folder:
        fonts = download(TEXT_PACKAGE, names, folder)
        for font, (face, weights) in zip(fonts, TEXT_FACES.items(), strict=True):
            kept = instantiateVariableFont(font, {"wght": weights})
            rename(kept, "Book Text")
            path = output / f"source-serif-{face}.woff2"
            make_font(kept, TEXT_CHARACTERS, TEXT_FEATURES, path)


def keep_roots_short(font: TTFont) -> None:
    """Leave the root's sign in its first size alone.

    Chromium keeps room for the widest of its sizes beside every root, be it as small as
    √d, which is then followed by a gap. The book's roots all have the first size.
    """
    variants = font["MATH"].table.MathVariants
    place = variants.VertGlyphCoverage.glyphs.index(font.getBestCmap()[ord("√")])
    del variants.VertGlyphCoverage.glyphs[place], variants.VertGlyphConstruction[place]


def make_math_font(html: Path, output: Path) -> None:
    """Write the font of the formulas in a built book; raises `ValueError` without."""
    wanted = characters_of_pages(sorted(html.rglob("book/**/*.html")))
    if not wanted:
        raise ValueError(f"no formulas in {html}: build the book first")
    with tempfile.TemporaryDirectory() as folder:
        (font,) = download(MATH_PACKAGE, [MATH_FILE], folder)
        keep_roots_short(font)
        make_font(font, wanted, MATH_FEATURES, output / FONT.name)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.fonts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("font", choices=["text", "math"])
    parser.add_argument("--html", type=Path, default=ROOT / "_build/html")
    parser.add_argument("--output", type=Path, default=FOLDER, help="a folder")
    options = parser.parse_args(arguments)
    try:
        if options.font == "text":
            make_text_fonts(options.output)
        else:
            make_math_font(options.html, options.output)
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
