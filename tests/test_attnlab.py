import subprocess
import sys

import pytest

import attnlab


def modules_after(statement):
    """The names of the modules that a fresh Python has loaded after `statement`."""
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"torch", "numpy", "matplotlib", "anywidget", "IPython", "yaml"}
    assert not heavy & modules_after("import attnlab")


def test_the_chapters_first_line_loads_nothing_heavy():
    heavy = {"torch", "matplotlib", "anywidget", "ipywidgets"}
    assert not heavy & modules_after("from attnlab import check, claim, show_source")


def test_a_transformer_needs_no_corpora_and_draws_nothing():
    heavy = {"opencc", "sacrebleu", "tokenizers", "matplotlib", "IPython"}
    core = "attnlab.transformer, attnlab.recurrent, attnlab.decoding"
    assert not heavy & modules_after(f"import {core}")


@pytest.mark.parametrize("name", attnlab.__all__)
def test_public_names_are_functions(name):
    assert callable(getattr(attnlab, name))
    assert name in dir(attnlab)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'attention_please'"):
        _ = attnlab.attention_please
