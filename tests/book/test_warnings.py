"""A page that Sphinx warns of fails the build each time, until it is mended."""

import shutil

import pytest

pytestmark = pytest.mark.book

TOC = "format: jb-book\nroot: book/index\nchapters:\n  - file: book/notes\n"
SOUND = "# Notes\n\n## Part\n\n### Section\n"
JUMP = "# Notes\n\n### Section\n"


@pytest.fixture
def tiny(root, tmp_path):
    """A book of two pages without cells, with this book's settings."""
    for file in ("_config.yml", "requirements.txt"):
        shutil.copy(root / file, tmp_path)
    for folder in ("_ext", "_slides", "_static", "_templates"):
        shutil.copytree(root / "book" / folder, tmp_path / "book" / folder)
    (tmp_path / "src" / "attnlab" / "live" / "weights").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(TOC)
    (tmp_path / "book" / "index.md").write_text("# Index\n")
    return tmp_path


def test_a_warning_fails_the_second_build_as_well(tiny, build):
    page = tiny / "book" / "notes.md"
    page.write_text(JUMP)
    for _ in range(2):
        result = build(tiny)
        assert result.returncode != 0
        assert "notes.md" in result.stdout and "Non-consecutive" in result.stdout
    page.write_text(SOUND)
    result = build(tiny)
    assert result.returncode == 0, result.stdout[-1500:]
