// A step of training by @jax-js/jax, of the model that benchmarks/live.py trains in the page and
// in PyTorch: attnlab.tagger's, without positions. Each function of jax-js uses its arguments
// up, and `.ref` keeps one for once more.

const [CLIP, DECAY, BETA_1, BETA_2, EPSILON] = [1, 0.01, 0.9, 0.999, 1e-8];

/**
 * A function that takes a step and resolves to its loss. `sizes` has { layers, heads, width,
 * inner, batch, tokens, words, classes }; words and classes are drawn at random.
 */
export async function jaxStep(jax, sizes) {
  const { numpy: np, tree } = jax;
  await jax.init("wasm");
  jax.defaultDevice("wasm");
  const { batch, tokens, words, classes } = sizes;
  const given = {
    words: oneOf(np, batch * tokens, words),
    classes: oneOf(np, batch * tokens, classes),
  };
  const first = newWeights(np, sizes);
  const zeros = () => tree.map((one) => np.zeros(one.shape), first);
  let state = { weights: first, means: zeros(), squares: zeros() };
  const slopes = jax.valueAndGrad((weights, data) => lossOf(jax, sizes, weights, data));
  const step = jax.jit((before, data, rate) => {
    const [loss, gradients] = slopes(tree.ref(before.weights), data);
    return [loss, changed(np, tree, before, gradients, rate)];
  });
  let taken = 0;

  return async () => {
    taken += 1;
    const rate = (0.001 * Math.sqrt(1 - BETA_2 ** taken)) / (1 - BETA_1 ** taken);
    const [loss, after] = step(state, tree.ref(given), np.array(rate));
    state = after;
    await jax.blockUntilReady(after);
    return loss.jsAsync();
  };
}

/** How many numbers a model of these sizes learns. */
export function parametersOf(jax, sizes) {
  const all = jax.tree.leaves(newWeights(jax.numpy, sizes));
  return all.reduce((sum, one) => sum + one.shape.reduce((a, b) => a * b, 1), 0);
}

function oneOf(np, count, kinds) {
  const numbers = new Float32Array(count * kinds);
  for (let i = 0; i < count; i++) numbers[i * kinds + Math.floor(Math.random() * kinds)] = 1;
  return np.array(numbers).reshape([count, kinds]);
}

function newWeights(np, { layers, width, inner, words, classes }) {
  const matrix = (rows, columns, limit) => {
    const draw = () => limit * (2 * Math.random() - 1);
    return np.array(Float32Array.from({ length: rows * columns }, draw)).reshape([rows, columns]);
  };
  const linear = (from, to) => ({ weight: matrix(from, to, from ** -0.5), bias: np.zeros([to]) });
  const norm = () => ({ gain: np.ones([width]), shift: np.zeros([width]) });
  return {
    embedding: matrix(words, width, 1),
    layers: Array.from({ length: layers }, () => ({
      query: linear(width, width),
      key: linear(width, width),
      value: linear(width, width),
      output: linear(width, width),
      norm: norm(),
      inner: linear(width, inner),
      outer: linear(inner, width),
      innerNorm: norm(),
    })),
    output: linear(width, classes),
  };
}

function lossOf({ numpy: np, nn }, { batch, tokens, heads, width }, weights, data) {
  const rows = batch * tokens;
  const linear = (x, { weight, bias }) => np.matmul(x, weight).add(bias);
  const normalized = (x, { gain, shift }) => nn.standardize(x).mul(gain).add(shift);
  const split = (x) => x.reshape([batch, tokens, heads, width / heads]);
  let x = np.matmul(data.words, weights.embedding);
  for (const layer of weights.layers) {
    const query = split(linear(x.ref, layer.query));
    const key = split(linear(x.ref, layer.key));
    const value = split(linear(x.ref, layer.value));
    const found = nn.dotProductAttention(query, key, value).reshape([rows, width]);
    x = normalized(x.add(linear(found, layer.output)), layer.norm);
    const change = linear(nn.relu(linear(x.ref, layer.inner)), layer.outer);
    x = normalized(x.add(change), layer.innerNorm);
  }
  const told = nn.logSoftmax(linear(x, weights.output)).mul(data.classes);
  return told.sum().mul(-1 / rows);
}

// AdamW, after the norm of all gradients is clipped.
function changed(np, tree, { weights, means, squares }, gradients, rate) {
  const square = tree.leaves(gradients).map((one) => np.square(one.ref).sum());
  const norm = np.sqrt(square.reduce((a, b) => a.add(b)));
  const factor = np.minimum(np.reciprocal(norm.add(1e-6)).mul(CLIP), 1);
  const clipped = tree.map((one) => one.mul(factor.ref), gradients);
  const mixed = (beta, old, now) => old.mul(beta).add(now.mul(1 - beta));
  const newMeans = tree.map((m, g) => mixed(BETA_1, m, g.ref), means, clipped);
  const newSquares = tree.map((s, g) => mixed(BETA_2, s, np.square(g)), squares, clipped);
  const decayed = tree.map((w) => w.mul(1 - 0.001 * DECAY), weights);
  const newWeights = tree.map(
    (w, m, s) => w.sub(m.ref.mul(rate.ref).div(np.sqrt(s.ref).add(EPSILON))),
    decayed,
    newMeans,
    newSquares,
  );
  factor.dispose();
  rate.dispose();
  return { weights: newWeights, means: newMeans, squares: newSquares };
}
