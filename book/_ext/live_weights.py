"""Sphinx extension: the live figures' weights, as scripts a page can load by itself.

A page opened from a file may not `fetch` its neighbours, but it may load a classic
script. So `<name>.safetensors` becomes `_static/attnlab-weights/<name>.js`, which calls
`attnlabWeights("<name>", "<base64>")`; a figure adds that script when it needs it.
"""

import base64
from pathlib import Path

from sphinx.application import Sphinx


def weights_script(file: Path) -> str:
    """The script that hands one weights file over to the figure that asked for it."""
    data = base64.b64encode(file.read_bytes()).decode("ascii")
    return f'attnlabWeights("{file.stem}", "{data}");\n'


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, put a script for every weights file beside the pages."""
    if exception is not None or app.builder.format != "html":
        return
    weights = Path(app.srcdir) / "src" / "attnlab" / "live" / "weights"
    target = Path(app.outdir) / "_static" / "attnlab-weights"
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(weights.glob("*.safetensors")):
        (target / f"{file.stem}.js").write_text(weights_script(file), encoding="ascii")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
