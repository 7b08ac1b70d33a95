"""The table that opens an evidence page: each claim, what became of it, and where.

`tools.authoring` writes it between two comments of the first cell whenever it stores a
page, from the verdicts that the page's own cells have shown.
"""

import re

from nbformat import NotebookNode

from attnlab.claims import Verdict, load_claims, read_verdicts, shown_texts

BEGIN, END = "<!-- claims -->", "<!-- end of claims -->"
CLAIMS_TABLE = re.compile(rf"(?<={BEGIN}\n).*?(?={END})", re.DOTALL)
SUMMARY_HEADING = "What came out"  # a page's summary, which is no part


def put_claims_table(notebook: NotebookNode) -> None:
    """Bring the table up to date; a page without its two comments is left alone."""
    first = notebook.cells[0]
    if BEGIN in first.source:
        table = claims_table(notebook)
        first.source = CLAIMS_TABLE.sub(lambda _: f"\n{table}\n\n", first.source)


def claims_table(notebook: NotebookNode) -> str:
    """Markdown: a row a claim, by number, and below it the parts that close none."""
    parts = verdicts_by_part(notebook)
    page = page_name(notebook)  # a card's anchor is known by its page's name alone
    rows = [
        f"| [{verdict.id}]({page}#claim-{verdict.id}) {load_claims()[verdict.id].text} "
        f"| {verdict.words} | [{part}](#{anchor(part)}) |"
        for part, verdicts in parts.items()
        for verdict in verdicts
    ]
    others = [
        f"[{part}](#{anchor(part)})" for part, found in parts.items() if not found
    ]
    listed = f"{'Other parts' if rows else 'Parts'}: {' · '.join(others)}"
    head = ["| claim | verdict | part |", "| --- | --- | --- |"]
    table = "\n".join([*head, *sorted(rows)]) if rows else ""
    return "\n\n".join(filter(None, [table, listed if others else ""]))


def verdicts_by_part(notebook: NotebookNode) -> dict[str, list[Verdict]]:
    """The verdicts that each part, a heading of the second level, has shown."""
    parts: dict[str, list[Verdict]] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^## (.+)$", cell.source, re.MULTILINE)
            parts |= {heading: [] for heading in headings if heading != SUMMARY_HEADING}
            continue
        lines = [line for text in shown_texts(cell) for line in text.splitlines()]
        if verdicts := read_verdicts(lines):
            parts[list(parts)[-1]] += verdicts
    return parts


def page_name(notebook: NotebookNode) -> str:
    """Return the file of an evidence page titled "Evidence 4 · …", else ValueError."""
    title = re.match(r"# Evidence (\d+) · ", notebook.cells[0].source)
    if title is None:
        raise ValueError("a page with a table of claims is titled '# Evidence 4 · …'")
    return f"{int(title[1]):02d}_evidence.ipynb"


def anchor(heading: str) -> str:
    """What a link to a heading says after its #, on the page as on GitHub."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
