"""Claims of the source articles and the verdicts that the book's cells reach.

The one list of claims is `claims.yml` beside this module, so that it is there wherever
the package is; `book/claims.yml` is a link to it.
"""

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Source(NamedTuple):
    """An article whose claims the book tests; what is unknown is an empty string.

    `key` is its name in `claims.yml`.
    """

    key: str
    title: str
    author: str
    year: str
    url: str


class Claim(NamedTuple):
    """One claim: where it comes from, what it says and how the book asks after it.

    `refuted_by` says what the measurement would have to show against the claim.
    `definition` marks a definition or arithmetic, which no measurement could refute.
    """

    id: str
    chapter: int
    text: str
    ask: str
    source: Source
    refuted_by: str = ""
    definition: bool = False


# The one rule for verdicts. What would have refuted a claim stands in `claims.yml`
# (`refuted_by`); where its words were changed later, `book/corrections.md` says so.
PHRASES = {
    # Nothing that would have refuted it came out, under no further condition.
    "holds": "holds",
    # Nothing that would have refuted it came out, but it takes a condition that its
    # author does not name.
    "when": "holds when ",
    # What would have refuted it came out, and we found a condition that makes it true.
    "restated": "is refuted as stated, true when ",
    # What would have refuted it came out, and we found no such condition.
    "refuted": "is refuted",
    # A definition or arithmetic: the cell checks that the code keeps to it.
    "definition": "holds by definition",
}


class Verdict(NamedTuple):
    """What a cell found: `kind` is one of `PHRASES`.

    `control` says how the same test came out where it had to come out otherwise.
    """

    id: str
    kind: str
    condition: str
    evidence: str
    control: str = ""

    @property
    def words(self) -> str:
        """The verdict as it is read: "holds when n < d"."""
        return (PHRASES[self.kind] + self.condition).removeprefix("is ")


_LINE = re.compile(
    r"(?P<id>C\d+) (?:(?P<conditional>holds when |is refuted as stated, true when )"
    r"(?P<condition>[^:]+)|(?P<plain>holds by definition|holds|is refuted))"
    r": (?P<evidence>.+)"
)
_KINDS = {phrase: kind for kind, phrase in PHRASES.items()}
_CONTROL = re.compile(r"(?P<id>C\d+) control: (?P<control>.+)")


class _Card:
    """A verdict as pages and notebooks show it: the claim, then what became of it.

    As text it is a line or two.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        (verdict,) = read_verdicts(self.lines)
        claimed = load_claims()[verdict.id]
        rows = {"Measured": verdict.evidence, "Control": verdict.control}
        listed = "".join(
            f"<dt>{name}</dt><dd>{escape(text)}</dd>"
            for name, text in rows.items()
            if text
        )
        return (
            f'<section class="verdict-card" data-claim="{verdict.id}" '
            f'data-verdict="{verdict.kind}" aria-label="Verdict on {verdict.id}">'
            f"<p><b>{escape(claimed.text)}</b></p>"
            f"<p><em>{escape(verdict.words)}</em></p><dl>{listed}</dl>"
            f"<p>{verdict.id} · {source_html(claimed.source)}</p></section>"
        )


def source_html(source: Source) -> str:
    """Title, author and year, the title as a link where there is an address."""
    title = escape(source.title)
    if re.search(r"[一-鿿]", source.title):
        title = f'<span lang="zh">{title}</span>'
    if source.url:
        title = f'<a href="{escape(source.url)}">{title}</a>'
    return ", ".join([title, *filter(None, map(escape, (source.author, source.year)))])


def claim(
    id: str,
    *,
    holds: object,
    evidence: str,
    control: str | None = None,
    falsified: object = None,
) -> None:
    """Close claim `id` with a card, as text a line or two, the same on every machine.

    `holds` is `True`, `False` or the condition under which the claim holds, as text
    that reads on after "when". NumPy's bools and torch's scalar ones are fine. A
    condition needs `falsified` as well: did anything come out that would have refuted
    the claim (`refuted_by` in `claims.yml`)? If so, the claim is "refuted as stated,
    true when …", otherwise it "holds when …" (`PHRASES` is the rule).

    `evidence` says in one line what was measured; it should be rounded so far that
    another machine prints the same. `control` says likewise what the same test gave
    where it had to come out otherwise, such as without the thing claimed.

    After a training that the reader has stopped there is no verdict, but a line that
    says so, until a model of that shape is trained to its end.

    Raises `ValueError` for an id that `claims.yml` lacks, for an empty or many-line
    text and for a claim that holds though it is falsified; `TypeError` for anything but
    a bool or text in `holds`, for a condition without `falsified`, and for anything but
    text elsewhere.

    >>> claim("C20", holds=True, evidence="variance/d_k within 2% for d_k = 4 … 512",
    ...       control="8.0 when all entries of a row are equal")
    C20 holds: variance/d_k within 2% for d_k = 4 … 512
    C20 control: 8.0 when all entries of a row are equal
    """
    if id not in load_claims():
        raise ValueError(f"no claim {id!r} in claims.yml; it knows {_known_ids()}")
    definition = load_claims()[id].definition
    phrase = _phrase(holds, falsified, definition)
    lines = [f"{id} {phrase}: {_one_line('evidence', evidence)}"]
    if control is not None:
        lines.append(f"{id} control: {_one_line('control', control)}")
    from IPython.display import display

    from attnlab.training.terminal import unfinished

    if unfinished:
        print(f"{id}: no verdict on a model whose training was stopped")
        return
    display(_Card(lines))


def _phrase(holds: object, falsified: object, definition: bool) -> str:
    if isinstance(holds, str):
        condition = _one_line("holds", holds)
        if ":" in condition:
            raise ValueError(f"a condition must do without a colon, got {condition!r}")
        if falsified is None:
            raise TypeError("a condition needs falsified=True or falsified=False")
        kind = "restated" if _as_bool("falsified", falsified) else "when"
        return PHRASES[kind] + condition
    if not _as_bool("holds", holds):
        return PHRASES["refuted"]
    if falsified is not None and _as_bool("falsified", falsified):
        raise ValueError("a claim cannot hold where what would refute it came out")
    return PHRASES["definition" if definition else "holds"]


def _as_bool(name: str, given: Any) -> bool:
    """Python's, NumPy's and torch's bools; nothing else, so that 0.3 is no verdict."""
    if getattr(given, "shape", None) == ():  # a NumPy scalar or a tensor with one entry
        given = given.item()
    if not isinstance(given, bool):
        wanted = "True, False" + (" or a condition as text" if name == "holds" else "")
        raise TypeError(
            f"{name} must be {wanted}, got {type(given).__name__}: {given!r}"
        )
    return given


def _one_line(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be text, got {type(text).__name__}: {text!r}")
    text = text.strip()
    if len(text.splitlines()) != 1:  # at any of the signs that end a line
        raise ValueError(f"{name} must be one line of text, got {text!r}")
    return text


def read_verdicts(lines: Iterable[str]) -> list[Verdict]:
    """Read back the text of `claim`'s cards, in order; other lines are passed over."""
    found: list[Verdict] = []
    for line in map(str.strip, lines):
        if match := _LINE.fullmatch(line):
            kind = _KINDS[match["conditional"] or match["plain"]]
            condition = match["condition"] or ""
            found.append(Verdict(match["id"], kind, condition, match["evidence"]))
        match = _CONTROL.fullmatch(line)
        if match and found and found[-1].id == match["id"]:
            found[-1] = found[-1]._replace(control=match["control"])
    return found


@cache
def load_claims() -> dict[str, Claim]:
    """Every claim of `claims.yml` by id, in the file's order."""
    file = Path(__file__).with_name("claims.yml")
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    sources = {
        name: Source(name, *(str(entry.get(field, "")) for field in Source._fields[1:]))
        for name, entry in content["sources"].items()
    }
    return {
        entry["id"]: Claim(
            entry["id"],
            entry["chapter"],
            entry["claim"],
            entry["ask"],
            sources[entry["from"]],
            entry.get("refuted_by", ""),
            entry.get("definition", False),
        )
        for entry in content["claims"]
    }


def _known_ids() -> str:
    ids = list(load_claims())
    return f"{ids[0]} to {ids[-1]}"


def shown_texts(cell: dict) -> list[str]:
    """Return what a stored cell displays, without what it prints, as text."""
    return [
        "".join(output["data"].get("text/plain", ""))
        for output in cell.get("outputs", [])
        if "data" in output
    ]
