"""Which versions are asked for."""

import tomllib

from packaging.requirements import Requirement

from tools.versions import dependencies


def test_dependencies_oldest_are_lower_bounds(root):
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extra = project["optional-dependencies"]["sentences"]
    ranges = [Requirement(one) for one in project["dependencies"] + extra]
    oldest = [Requirement(text) for text in dependencies("oldest")]
    assert [one.name for one in oldest] == [one.name for one in ranges]
    for one, allowed in zip(oldest, ranges, strict=True):
        (exact,) = one.specifier
        assert exact.operator == "==" and exact.version in allowed.specifier
    assert dependencies("newest") == [one.name for one in ranges]
