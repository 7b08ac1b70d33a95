"""The map of the repository, `help(attnlab)`: whole, and in order."""

import re
import textwrap

import attnlab

MAP = textwrap.dedent(attnlab.__doc__.split("::\n\n")[1]).strip()


def paths():
    """Every path on the map, from the top of the repository."""
    found, above = [], []
    for indent, name in re.findall(r"^((?:  ){0,2})(\S+)  +", MAP, re.MULTILINE):
        above = [*above[: len(indent) // 2], name]
        found.append("".join(above))
    return found


def mapped_modules():
    """The modules and packages of attnlab on the map, in its order."""
    found = [re.fullmatch(r"src/attnlab/(\w+)(?:\.py|/)", path) for path in paths()]
    return [room[1] for room in found if room]


def test_package_map_lists_every_module(root):
    assert [path for path in paths() if not (root / path).exists()] == []
    package = (root / "src" / "attnlab").iterdir()
    there = {
        p.stem for p in package if p.suffix == ".py" or (p / "__init__.py").is_file()
    }
    assert set(mapped_modules()) == there - {"__init__"}
    assert len(mapped_modules()) == len(set(mapped_modules()))
