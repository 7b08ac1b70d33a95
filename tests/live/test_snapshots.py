"""What every live figure draws and says, as a person has approved it.

`make approve` stores what figures show now; CONTRIBUTING says how to review it.
"""

import pytest
from gallery import all_figures, described, gallery, states_of
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

FIGURES = all_figures()


class TextFile(SingleFileSnapshotExtension):
    """A text file for each figure, `__snapshots__/<name>.txt`."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT

    @classmethod
    def get_file_basename(cls, *, test_location, index):
        return str(index)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    with gallery(
        browser, tmp_path_factory.mktemp("gallery"), [*FIGURES.values()]
    ) as page:
        yield page


@pytest.mark.parametrize("name", FIGURES)
def test_figure_shows_what_was_approved(name, page, snapshot):
    found = described(states_of(page, list(FIGURES).index(name), name))
    assert found == snapshot(extension_class=TextFile, name=name)
