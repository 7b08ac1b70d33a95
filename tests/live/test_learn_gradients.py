"""The page's own training beside torch: gradients, attention, losses."""

import json

import pytest
import torch
from drawing import first_every_day
from learning import (
    batch_to_lists,
    load_in_torch,
    offered_models,
    random_batch,
    run_one_pass,
    to_tensor,
    to_tensors,
)

from attnlab.recurrent import count_parameters
from attnlab.training import cross_entropy_loss, tagging_loss
from attnlab.training.schedule import learning_rate

OFFERED_MODELS = offered_models()


# One of each kind, and of what it may have otherwise, for what takes long.
SLOW = ("transformer, sinusoidal, post-norm", "transformer, pre-norm, all")
SLOW += ("tagger, no feed-forward", "tagger, causal, GELU")
SLOW += ("gru, additive, both ways", "gru, None")


@pytest.mark.parametrize("name", OFFERED_MODELS)
def test_js_training_loss_maps_and_gradients_equal_torch(training_page, name):
    """Of every parameter, layer and head; weights are 0 where the mask hides."""
    kind, config = OFFERED_MODELS[name]
    batch = random_batch(kind)
    if kind != "Seq2Seq":  # which torch has read one token at least
        batch.src[1] = 0  # nothing but padding
    here = run_one_pass(training_page, kind, config, batch)
    model = load_in_torch(kind, config, to_tensors(here["weights"]))
    assert here["count"] == count_parameters(model)
    loss = (tagging_loss if kind == "Tagger" else cross_entropy_loss)(model, batch)[0]
    loss.backward()
    assert here["loss"] == pytest.approx(loss.item(), rel=1e-5)
    gradients = to_tensors(here["gradients"])
    for part, parameter in model.named_parameters():
        wanted = parameter.grad.double()
        # What is 0 in theory (a key's bias moves no weight) is rounding in both.
        error = (gradients[part] - wanted).norm()
        assert error <= 1e-4 * wanted.norm() + 1e-7, part
    maps = package_maps(kind, config, model, batch)
    assert here["maps"].keys() == maps.keys()
    for part, layers in maps.items():
        found = torch.stack([to_tensor(layer) for layer in here["maps"][part]])
        torch.testing.assert_close(found, layers, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def package_maps(kind, config, model, batch):
    """The package's, by kind, each (layers, B, h, L_q, L_k)."""
    if kind == "Tagger":
        return {"encoder": model.attention(batch.src)}
    tgt = batch.tgt[:, :-1]
    if kind == "Transformer":
        return model.attention(batch.src, tgt)
    if config["score"] is None:
        return {}
    return {"cross": model.attention(batch.src, tgt)[None, :, None]}


STEPS = 50
TRAIN_SCRIPT = """({ kind, config, batches, rate, steps, by }) => {
  const machine = new Machine({ bytes: 64 * 1024 * 1024 });
  const model = newModel(machine, kind, config, 7);
  const tensors = [...model.parameters.byName.values()];
  const first = [...model.parameters.byName].map(
    ([name, t]) => [name, [t.shape, [...t.data]]]);
  const optimizer = by === "sgd" ? new Descent(tensors) : new AdamW(tensors);
  const losses = batches.map((lists, step) => {
    const tape = new Tape(machine);
    model.parameters.clear();
    const ids = { src: Int32Array.from(lists.src), tgt: Int32Array.from(lists.tgt) };
    const { logits, targets } = model.run(tape, { ...lists, ...ids });
    const { loss } = crossEntropy(logits, targets);
    tape.backward();
    clipGradients(tensors, 1);
    optimizer.step(learningRateAt(step, { rate, warmup: 5, steps }));
    tape.end();
    return loss;
  });
  return JSON.stringify({ losses, weights: Object.fromEntries(first) });
}"""


@pytest.mark.parametrize(
    ("name", "by"),
    first_every_day([(SLOW[0], "sgd"), *((name, "adam") for name in SLOW)], 2),
)
def test_js_training_fifty_steps_equal_torch(training_page, name, by):
    kind, config = OFFERED_MODELS[name]
    batches = [random_batch(kind, seed) for seed in range(STEPS)]
    rate = 0.5 if by == "sgd" else 3e-3
    told = {"kind": kind, "config": config, "rate": rate, "steps": STEPS, "by": by}
    here = json.loads(
        training_page.evaluate(
            TRAIN_SCRIPT, {**told, "batches": [*map(batch_to_lists, batches)]}
        )
    )
    model = load_in_torch(kind, config, to_tensors(here["weights"]))
    optimizer = (
        torch.optim.SGD(model.parameters(), rate)
        if by == "sgd"
        else torch.optim.AdamW(model.parameters(), rate)
    )
    loss_of = tagging_loss if kind == "Tagger" else cross_entropy_loss
    losses = []
    for step, batch in enumerate(batches):
        optimizer.zero_grad()
        loss = loss_of(model, batch)[0]
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        (group,) = optimizer.param_groups
        group["lr"] = learning_rate(step, STEPS, peak=rate, warmup=5, schedule="cosine")
        optimizer.step()
        losses.append(loss.item())
    assert here["losses"] == pytest.approx(losses, rel=1e-3)
    assert losses[-1] != pytest.approx(losses[0], rel=1e-2)  # something was learned
