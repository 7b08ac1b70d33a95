"""Items or a place, soft or hard: four ways to look at an image. (claim C13)

A 20 × 20 image is noise but for one of four 5 × 5 shapes. The network must say
which. Its classifier sees the image through attention alone:

- item, soft: the 16 patches of a 4 × 4 grid, embedded, summed by their weights;
- item, hard: one of these patches, drawn from the same weights;
- location, soft: a 5 × 5 grid of Gaussian filters at a predicted place, with a learned
  stride and blur (Gregor et al. 2015, section 3.2);
- location, hard: a 5 × 5 window cut out at the nearest whole pixel to a place drawn
  around the predicted one (Mnih et al. 2014, section 3).

Items are scored by what is in them; a place is predicted from an overview, the mean
brightness of each patch. The soft ones learn by plain gradients, the hard ones by
REINFORCE with a moving baseline. The control is blind: it weighs all items alike, or
its place is nailed to the middle.

    python -m attnlab.experiments.glimpses --tune
    python -m attnlab.experiments.glimpses --seeds 5

The tuning seed is not among those reported.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import check_choice
from attnlab.experiments.study import Study, fit, run_studies
from attnlab.store import grid

SIDE, PATCH = 20, 5  # pixels
GRID = SIDE // PATCH  # patches a side
KINDS = ("item", "location")
RATES = (1e-3, 3e-3, 1e-2)
SPREAD = 0.25  # standard deviation of a drawn place, in half images

_SHAPE_ROWS = {
    "plus": "..#.. ..#.. ##### ..#.. ..#..",
    "cross": "#...# .#.#. ..#.. .#.#. #...#",
    "square": "##### #...# #...# #...# #####",
    "diamond": "..#.. .#.#. #...# .#.#. ..#..",
}


def _shape(drawn: str) -> Tensor:
    """`drawn` row by row, # for 1, to `(25,)`."""
    pixels = drawn.replace(" ", "")
    return torch.tensor([float(pixel == "#") for pixel in pixels])


SHAPES = torch.stack([_shape(drawn) for drawn in _SHAPE_ROWS.values()])  # (4, 25)


def images(size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Images `(size, 20, 20)`, their shapes `(size,)` and the patch it lies in."""
    pictures = 0.3 * torch.randn(size, SIDE, SIDE)
    labels = torch.randint(len(SHAPES), (size,))
    places = torch.randint(GRID**2, (size,))
    patches = cut(pictures)  # (size, 16, 25)
    patches[torch.arange(size), places] += SHAPES[labels]
    return paste(patches), labels, places


def cut(pictures: Tensor) -> Tensor:
    """Images `(size, 20, 20)` to the patches of the grid, `(size, 16, 25)`."""
    return F.unfold(pictures.unsqueeze(1), PATCH, stride=PATCH).transpose(1, 2)


def paste(patches: Tensor) -> Tensor:
    """Put patches `(size, 16, 25)` together again: `(size, 20, 20)`."""
    columns = patches.transpose(1, 2)
    return F.fold(columns, (SIDE, SIDE), PATCH, stride=PATCH).squeeze(1)


def crop(pictures: Tensor, centre: Tensor) -> Tensor:
    """Return the 5 × 5 pixels around the pixel nearest to each `centre`, `(size, 25)`.

    `centre` is `(size, 2)`, row and column from −1 to 1. Beyond the edge all is 0.
    """
    corner = ((centre.clamp(-1, 1) + 1) / 2 * SIDE - PATCH / 2).round().long()
    offsets = torch.arange(PATCH) + PATCH  # counted from the padding's edge
    padded = F.pad(pictures, [PATCH] * 4)
    rows = corner[:, 0, None, None] + offsets[:, None]  # (size, 5, 1)
    columns = corner[:, 1, None, None] + offsets  # (size, 1, 5)
    cut_out = padded[torch.arange(len(pictures))[:, None, None], rows, columns]
    return cut_out.flatten(1)


def blurred_crop(
    pictures: Tensor, centre: Tensor, stride: Tensor, blur: Tensor
) -> Tensor:
    """Return a 5 × 5 grid of Gaussian filters around each `centre`, `(size, 25)`.

    `stride` is the distance between filters and `blur` their standard deviation, both
    in pixels. Differentiable in all three (Gregor et al. 2015, eq. 19–27).
    """
    offsets = (torch.arange(PATCH) - PATCH // 2) * stride
    places = (centre + 1) / 2 * SIDE - 0.5  # (size, 2), in pixels
    means = places.unsqueeze(-1) + offsets  # (size, 2, 5)
    distances = torch.arange(SIDE) - means.unsqueeze(-1)  # (size, 2, 5, 20)
    filters = (-distances.square() / (2 * blur**2)).softmax(dim=-1)
    rows, columns = filters.unbind(dim=1)  # (size, 5, 20) each
    return (rows @ pictures @ columns.transpose(1, 2)).flatten(1)


class GlimpseModel(nn.Module):
    """Names the shape after one look; `kind` and `hard` say how it looks.

    A kind that is none of `KINDS` raises ValueError.
    """

    baseline: Tensor

    def __init__(self, kind: str, hard: bool, d_model: int = 32) -> None:
        super().__init__()
        check_choice("kind", kind, KINDS)
        self.kind, self.hard = kind, hard
        self.embed = nn.Sequential(nn.Linear(PATCH**2, d_model), nn.ReLU())
        self.output = nn.Linear(d_model, len(SHAPES))
        if kind == "item":
            self.score = nn.Linear(d_model, 1)
        else:
            self.place = nn.Sequential(
                nn.Linear(GRID**2, 64), nn.ReLU(), nn.Linear(64, 2), nn.Tanh()
            )
        if kind == "location" and not hard:
            # Stride and blur in pixels: at first the grid spans the whole image.
            self.log_zoom = nn.Parameter(torch.tensor([4.0, 2.0]).log())
        self.register_buffer("baseline", torch.tensor(0.0))

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Logits `(size, 4)` and the log-probability of what was drawn, `(size,)`."""
        look = self._items if self.kind == "item" else self._location
        return look(pictures)

    def attended_position(self, pictures: Tensor) -> Tensor:
        """Return the heaviest patch, or the one that the place lies in, `(size,)`."""
        if self.kind == "item":
            return self.score(self.embed(cut(pictures))).squeeze(-1).argmax(dim=-1)
        place = self.place(F.avg_pool2d(pictures, PATCH).flatten(1))  # (size, 2)
        rows, columns = ((place + 1) / 2 * GRID).long().clamp(max=GRID - 1).unbind(1)
        return rows * GRID + columns

    def ignore_input(self) -> None:
        """Give all items the same weight for good, or fix the place in the middle."""
        last = self.score if self.kind == "item" else self.place[2]
        for parameter in last.parameters():
            nn.init.zeros_(parameter)
            parameter.requires_grad_(False)

    def _items(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        items = self.embed(cut(pictures))  # (size, 16, d)
        weights = self.score(items).squeeze(-1).softmax(dim=-1)  # (size, 16)
        if not self.hard:
            pooled = torch.einsum("bi,bid->bd", weights, items)
            return self.output(pooled), weights.new_zeros(len(items))
        best = weights.argmax(dim=-1)
        drawn = torch.multinomial(weights, 1).squeeze(1) if self.training else best
        rows = torch.arange(len(items))
        return self.output(items[rows, drawn]), weights[rows, drawn].log()

    def _location(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        blurred = F.avg_pool2d(pictures, PATCH)  # (size, 4, 4)
        mean = self.place(blurred.flatten(1))  # (size, 2)
        if not self.hard:
            read = blurred_crop(pictures, mean, *self.log_zoom.exp())
            return self.output(self.embed(read)), mean.new_zeros(len(mean))
        around = torch.distributions.Normal(mean, SPREAD)
        drawn = around.sample() if self.training else mean.detach()
        read = crop(pictures, drawn)
        return self.output(self.embed(read)), around.log_prob(drawn).sum(dim=-1)


def loss_of(model: GlimpseModel, pictures: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of pictures `(size, 20, 20)` and labels `(size,)`.

    For hard attention REINFORCE is added (Williams 1992).
    """
    logits, drawn_log_prob = model(pictures)
    loss = F.cross_entropy(logits, labels, reduction="none")  # (size,)
    if not model.hard:
        return loss.mean()
    reward = -loss.detach()
    objective = loss - (reward - model.baseline) * drawn_log_prob
    model.baseline.lerp_(reward.mean(), 0.1)
    return objective.mean()


def measure_glimpses(
    *,
    seed: int,
    kind: str,
    hard: bool,
    steps: int = 2500,
    lr: float = 3e-3,
    blind: bool = False,
) -> dict:
    """Train one looker and measure it on 2,000 new images.

    `accuracy` is the share of shapes named right, `found` the share of images in which
    it looks at the patch where the shape is: one in sixteen by chance. A `blind` one
    cannot choose where it looks.
    """
    torch.manual_seed(seed)
    model = GlimpseModel(kind, hard)
    if blind:
        model.ignore_input()
    fit(model, lambda: loss_of(model, *images(64)[:2]), steps=steps, lr=lr)
    model.eval()
    with torch.no_grad():
        pictures, labels, places = images(2_000)
        hits = model(pictures)[0].argmax(dim=-1) == labels
        found = model.attended_position(pictures) == places
    return {
        "accuracy": hits.float().mean().item(),
        "found": found.float().mean().item(),
    }


def most_accurate(runs: list[dict]) -> dict:
    """Return the run with the best accuracy."""
    return max(runs, key=lambda run: run["figures"]["accuracy"])


COMBINATIONS = grid(kind=list(KINDS), hard=[False, True])
SETTINGS = [*COMBINATIONS, *({**way, "blind": True} for way in COMBINATIONS)]
STUDY = Study("glimpses", measure_glimpses, SETTINGS, RATES, most_accurate)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
