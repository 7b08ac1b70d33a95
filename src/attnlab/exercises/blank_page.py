"""What must be true of any encoder–decoder Transformer, one check after another.

Each check says what is wrong or returns `None`; its docstring is the hint for a
reader whose module fails it. None of them knows how the module is made.
"""

from collections.abc import Callable
from inspect import cleandoc

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.exercises.checking import own_line

ROUNDING = 1e-4  # logits that should be equal may differ by this
STEPS, LEARNED = 80, 0.7  # of training on one batch, and the loss that is low enough

BOS, FIRST = 1, 3  # 0 is padding, 2 ends a sentence


class Sample:
    """A module to be tried, in eval mode, with a batch of random sentences."""

    def __init__(self, model: nn.Module, src_vocab: int, tgt_vocab: int) -> None:
        self.model, self.tgt_vocab = model.eval(), tgt_vocab
        generator = torch.Generator().manual_seed(0)
        self.src = torch.randint(FIRST, src_vocab, (4, 6), generator=generator)
        self.tgt = torch.randint(FIRST, tgt_vocab, (4, 5), generator=generator)
        self.src[:, 0], self.tgt[:, 0] = src_vocab - 1, BOS

    @torch.no_grad()
    def logits(self, src: Tensor | None = None, tgt: Tensor | None = None) -> Tensor:
        """Return logits (4, L_t, tgt_vocab) for these sentences, or for its own."""
        src = self.src if src is None else src
        return self.model(src, self.tgt if tgt is None else tgt)

    def changed(self, side: str, place: int) -> Tensor:
        """Return one side's ids, (4, length), with other words in this place."""
        ids = getattr(self, side).clone()
        ids[:, place] = torch.where(ids[:, place] == FIRST, FIRST + 1, FIRST)
        return ids


def differ(one: Tensor, other: Tensor) -> bool:
    """Return whether logits of one shape differ by more than rounding."""
    return (one - other).abs().max().item() > ROUNDING


def returns_logits(sample: Sample) -> str | None:
    """Return one row of logits for every target position, (B, m, tgt_vocab): the
    queries of the decoder come from the target, and a linear layer ends it."""
    found, wanted = sample.logits(), (*sample.tgt.shape, sample.tgt_vocab)
    if not isinstance(found, Tensor):
        return f"it returned {type(found).__name__}, not a tensor"
    if found.shape != wanted:
        return f"the logits are {tuple(found.shape)}, not {wanted}"
    return None if found.isfinite().all() else "some logits are not finite"


def has_no_softmax(sample: Sample) -> str | None:
    """The softmax belongs to the loss: return the scores that go into it."""
    sums = sample.logits().exp().sum(dim=-1), sample.logits().sum(dim=-1)
    if any(torch.allclose(one, torch.ones_like(one), atol=1e-3) for one in sums):
        return "these are probabilities or their logarithms, not logits"
    return None


def repeats_itself(sample: Sample) -> str | None:
    """Dropout must stop after eval(): use nn.Dropout, or pass self.training."""
    if differ(sample.logits(), sample.logits()):
        return "in eval mode, the same question gets two answers"
    return None


def registers_its_layers(sample: Sample) -> str | None:
    """PyTorch does not look into plain lists: use nn.ModuleList."""
    for module in sample.model.modules():
        for name, value in vars(module).items():
            held = value if isinstance(value, list | tuple) else []
            if any(isinstance(one, nn.Module | nn.Parameter) for one in held):
                return f"the layers in {name!r} are in a plain list and never trained"
    return None


def keeps_sentences_apart(sample: Sample) -> str | None:
    """The batch must stay the first dimension. Split the heads with unflatten and
    transpose; a bare reshape mixes sentences."""
    src, tgt = sample.src.clone(), sample.tgt.clone()
    src[1:], tgt[1:] = src[1:].roll(1, dims=0), tgt[1:].roll(1, dims=0)
    if differ(sample.logits()[0], sample.logits(src, tgt)[0]):
        return "another sentence of the batch changes the answer to the first"
    return None


def hides_the_future(sample: Sample) -> str | None:
    """Use the causal mask in the decoder's self-attention, with True = may be seen:
    row t sees the columns up to t. And merge heads with transpose, then flatten."""
    for place in range(1, sample.tgt.shape[1]):
        after = sample.logits(tgt=sample.changed("tgt", place))
        if differ(sample.logits()[:, :place], after[:, :place]):
            return f"target word {place} changes the logits before position {place}"
    return None


def hides_padding(sample: Sample) -> str | None:
    """Mask the source's padding (src != 0) twice: in the encoder's self-attention and
    in cross-attention. Columns of padding are hidden, for every query."""
    padded = F.pad(sample.src, (0, 3))
    if differ(sample.logits(), sample.logits(padded)):
        return "three columns of padding after the source change the logits"
    return None


def reads_the_source(sample: Sample) -> str | None:
    """Cross-attention takes its keys and values from the memory, the encoder's output,
    and its queries from the target. Is its result added to x?"""
    after = sample.logits(sample.changed("src", 2))
    if torch.equal(sample.logits(), after):
        return "another word in the source changes nothing"
    return None


def knows_positions(sample: Sample) -> str | None:
    """Add position vectors to the embeddings (equation 7.5): attention alone sees the
    source as a bag of words."""
    sample.model.eval()
    if not differ(sample.logits(), sample.logits(sample.src.flip(1))):
        return "the source in reverse order gets the same logits"
    return None


def reads_what_was_said(sample: Sample) -> str | None:
    """The decoder's self-attention must let every word see the ones before it, and its
    result is added to x."""
    after = sample.logits(tgt=sample.changed("tgt", 1))
    if torch.equal(sample.logits()[:, -1], after[:, -1]):
        return "another second target word changes nothing in the last position"
    return None


def uses_every_parameter(sample: Sample) -> str | None:
    """Each part that __init__ makes must be called in forward, once a layer, and
    nothing on the way may be detached."""
    sample.model.zero_grad()
    sample.model(sample.src, sample.tgt).square().sum().backward()
    for name, parameter in sample.model.named_parameters():
        if parameter.requires_grad and parameter.grad is None:
            return f"no gradient reaches {name}"
    return None


def learns_one_batch(sample: Sample) -> str | None:
    """All parts are connected, but something blocks learning. Look at the residual
    connections (7.1), the norms (7.3), the root of d_k, and √d times the embedding. The
    rate of this check suits a width of 32."""
    model, targets = sample.model.train(), sample.tgt.roll(-1, dims=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss = torch.tensor(0.0)
    for _ in range(STEPS):
        logits = model(sample.src, sample.tgt)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if not loss < LEARNED:
        return f"after {STEPS} steps on one batch the loss is still {loss:.1f}"
    return None


CHECKS: tuple[Callable[[Sample], str | None], ...] = (
    returns_logits,
    has_no_softmax,
    repeats_itself,
    registers_its_layers,
    keeps_sentences_apart,
    hides_the_future,
    hides_padding,
    reads_the_source,
    reads_what_was_said,
    uses_every_parameter,
    learns_one_batch,
    knows_positions,  # of a trained module: before, it may make hardly a difference
)


def hint_of(check: Callable) -> str:
    """Return the hint for a reader whose module fails this check."""
    return " ".join(cleandoc(check.__doc__ or "").split())


def find_fault(model: object, src_vocab: int, tgt_vocab: int) -> tuple[str, str] | None:
    """Return what is wrong with a Transformer, and a hint; `None` if nothing is."""
    if not isinstance(model, nn.Module):
        kind = type(model).__name__
        return f"the type is {kind}, not an nn.Module", "Return the module itself."
    with torch.random.fork_rng():
        torch.manual_seed(0)
        sample = Sample(model, src_vocab, tgt_vocab)
        for check in CHECKS:
            try:
                complaint = check(sample)
            except Exception as error:
                complaint = f"it raised {type(error).__name__}: {error}"
                place = own_line(error)
                complaint += f"\nin:       {place}" * bool(place)
            if complaint:
                return complaint, hint_of(check)
    return None
