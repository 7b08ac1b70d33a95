"""What every live figure draws and says, as a person has approved it.

`make approve` stores what figures show now; CONTRIBUTING says how to review it.
"""

from pathlib import Path

import pytest
from accessibility import load_axe
from gallery import (
    all_figures,
    describe_states,
    first_changed_state,
    open_gallery,
    save_before_and_after,
    visit_states,
)
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

FIGURES = all_figures()
APPROVED = Path(__file__).parent / "__snapshots__" / "test_snapshots"


class TextFile(SingleFileSnapshotExtension):
    """A text file for each figure, `__snapshots__/<name>.txt`."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT

    @classmethod
    def get_file_basename(cls, *, test_location, index):
        return str(index)

    @classmethod
    def matches_test_location(cls, *, test_location, snapshot_location):
        return f"[{Path(snapshot_location).stem}]" in test_location.testname


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    with open_gallery(
        browser, tmp_path_factory.mktemp("gallery"), [*FIGURES.values()]
    ) as page:
        yield page


@pytest.mark.parametrize("name", FIGURES)
def test_figure_shows_what_was_approved(name, page, root, snapshot):
    found = describe_states(visit_states(page, list(FIGURES).index(name), name))
    try:
        assert found == snapshot(extension_class=TextFile, name=name)
    except AssertionError as error:
        approved = APPROVED / f"{name}.txt"
        if approved.exists():
            folder = root / "_build" / "snapshots" / name
            state = first_changed_state(approved.read_text(encoding="utf-8"), found)
            save_before_and_after(name, state, approved, folder)
            error.add_note(f"Pictures of “{state}”: {folder}/before.png and now.png")
        raise


CONTRAST = {"runOnly": ["color-contrast"]}
ALLOWED_REQUESTS = [
    pytest.param(360, "light", None, id="phone", marks=pytest.mark.weekly),
    # What depends on the theme is contrast; every other rule is asked in the light.
    pytest.param(1280, "light", {}, id="axe", marks=pytest.mark.weekly),
    pytest.param(390, "dark", CONTRAST, id="contrast", marks=pytest.mark.weekly),
]


@pytest.mark.parametrize(("width", "theme", "rules"), ALLOWED_REQUESTS)
@pytest.mark.parametrize("name", FIGURES)
def test_every_state_fits_and_passes_axe(name, page, width, theme, rules):
    place = list(FIGURES).index(name)
    figures = page.locator("main > figure")
    figure, neighbour = figures.nth(place), figures.nth(place - 1)
    at_rest = "(figure, theme) => atRest(figure, theme)"
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("document.activeElement?.blur()")  # the neighbour may have the focus
    before = neighbour.evaluate(at_rest, theme)
    if rules is not None:
        load_axe(page)
    figure.evaluate(at_rest, theme)
    assert figure.evaluate("(figure, rules) => faultsOf(figure, rules)", rules) == []
    assert neighbour.evaluate(at_rest, theme) == before


def test_snapshot_walk_reports_one_changed_number(page):
    """A control: were the walk blind, every comparison would pass."""
    figure = page.locator("main > figure").nth(list(FIGURES).index("shelf"))
    lines = figure.evaluate("(figure) => atRest(figure, 'light')")
    figure.locator(".sh-brought").first.evaluate("(cell) => (cell.textContent = '9')")
    changed = figure.evaluate("(figure) => atRest(figure, 'light')")
    assert len(set(changed) - set(lines)) == 1
