// What the layers of `attnlab.complexity.layers` cost: its formulas once more, and the bytes
// of `attnlab.complexity.roofline`. Sizes are { n, d, k, r, causal }: length, width, kernel,
// radius, and whether layers look back only; { heads, batch } where there are several. NaN is
// what there is not.

const GATE_COUNTS = { rnn: 1, gru: 3, lstm: 4 };
const BAND_BLOCK = 32; // the fewest queries in a block of `banded_attention`
const HEADS = 8; // of multi-head attention
const FEED_FORWARD_FACTOR = 4; // times d, a feed-forward layer in between

const attentionType = {
  flops: ({ n, d }) => 4 * n * n * d,
  generating: ({ n, d }) => 2 * n * (n + 1) * d,
  parameters: () => 0,
};

const multiHeadType = {
  flops: ({ n, d }) => 8 * n * d * d + 4 * n * n * d,
  generating: ({ n, d }) => 8 * n * d * d + 2 * n * (n + 1) * d,
  parameters: ({ d }) => 4 * d * d + 4 * d,
};

const additiveType = {
  flops: ({ n, d }) => 4 * n * d * d + 4 * n * n * d,
  generating: ({ n, d }) => 4 * n * d * d + 2 * n * (n + 1) * d,
  parameters: ({ d }) => 2 * d * d + d,
};

const bandedType = {
  flops({ n, d, r, causal }) {
    const radius = Math.min(r, n - 1);
    const size = Math.max(radius, BAND_BLOCK);
    return 4 * Math.ceil(n / size) * size * (size + (causal ? radius : 2 * radius)) * d;
  },
  generating({ n, d, r }) {
    const most = Math.min(r + 1, n); // keys that a step looks at
    return 4 * (n * most - (most * (most - 1)) / 2) * d;
  },
  parameters: () => 0,
  layers: ({ n, r }) => Math.ceil((n - 1) / r),
};

function recurrentType(cell) {
  const gates = GATE_COUNTS[cell];
  return {
    flops: ({ n, d }) => 4 * gates * n * d * d,
    parameters: ({ d }) => gates * (2 * d * d + 2 * d),
    steps: ({ n }) => n,
  };
}

function convolutionLayers({ n, k, causal }) {
  const reach = causal ? k - 1 : (k - 1) / 2;
  return reach >= 1 ? Math.ceil((n - 1) / reach) : NaN;
}

const convolutionType = {
  flops: ({ n, d, k }) => 2 * k * n * d * d,
  parameters: ({ d, k }) => k * d * d + d,
  layers: convolutionLayers,
};

const separableType = {
  flops: ({ n, d, k }) => 2 * k * n * d + 2 * n * d * d,
  parameters: ({ d, k }) => k * d + d + d * d + d,
  layers: convolutionLayers,
};

const dilatedType = {
  flops: ({ n, d, k }) => dilatedDepth(n, k) * 2 * k * n * d * d,
  parameters: ({ n, d, k }) => dilatedDepth(n, k) * (k * d * d + d),
  layers({ n, k, causal }) {
    const depth = dilatedDepth(n, k);
    // Centred, a step beyond the end meets nothing: no digit of n − 1 may be too large.
    for (let rest = n - 1; !causal && depth && rest > 0; rest = Math.floor(rest / k)) {
      if (rest % k > (k - 1) / 2) return NaN;
    }
    return depth;
  },
};

// As many causal layers as n − 1 has digits in base k link n positions.
function dilatedDepth(n, k) {
  if (k < 2) return NaN;
  let depth = 0;
  for (let reach = 1; reach < n; reach *= k) depth++;
  return depth;
}

const feedForwardType = {
  flops: ({ n, d }) => 4 * FEED_FORWARD_FACTOR * n * d * d,
  parameters: ({ d }) => 2 * FEED_FORWARD_FACTOR * d * d + (FEED_FORWARD_FACTOR + 1) * d,
};

/**
 * By layer, functions of the sizes: flops, those of generating if they are others, parameters,
 * steps and layers unless they are 1.
 */
export const COST_TYPES = {
  attention: attentionType,
  attention_fused: attentionType,
  multi_head: multiHeadType,
  banded: bandedType,
  additive: additiveType,
  rnn: recurrentType("rnn"),
  gru: recurrentType("gru"),
  lstm: recurrentType("lstm"),
  rnn_fused: recurrentType("rnn"),
  gru_fused: recurrentType("gru"),
  lstm_fused: recurrentType("lstm"),
  convolution: convolutionType,
  dilated: dilatedType,
  separable: separableType,
  feed_forward: feedForwardType,
};

// How many weights an attention has, or numbers that its scores are made from.
const WEIGHT_COUNTS = {
  attention: ({ n, heads = 1 }) => heads * n * n,
  attention_fused: ({ n, heads = 1 }) => heads * n * n,
  multi_head: ({ n, heads = HEADS }) => heads * n * n,
  additive: ({ n, d }) => n * n * d,
  banded({ n, r }) {
    const radius = Math.min(r, n - 1);
    const size = Math.max(radius, BAND_BLOCK);
    return Math.ceil(n / size) * size * (size + 2 * radius);
  },
};

/** The FLOPs of a pass: one position after the other, attention meets no key yet to come. */
export function flopsOf(layer, phase, sizes) {
  const { flops, generating = flops } = COST_TYPES[layer];
  return (phase === "generation" ? generating : flops)(sizes);
}

/** How many calls must be made one after the other. */
export function sequentialCalls(layer, phase, { n }) {
  return phase === "generation" || COST_TYPES[layer].steps ? n : 1;
}

/**
 * Four bytes for each number that a layer must touch. `fusedWeights` counts the weights that a
 * fused attention makes and never writes.
 */
export function bytesTouched(layer, phase, sizes, fusedWeights = true) {
  const { n, d, k, r, batch = 1 } = sizes;
  let steps = sequentialCalls(layer, phase, sizes);
  if (GATE_COUNTS[layer.replace("_fused", "")] && layer.endsWith("_fused")) {
    steps = Math.floor((steps + 1) / 2);
  }
  const depth = layer === "dilated" ? dilatedDepth(n, k) : 1;
  let each = 4 * n * d * depth;
  if (phase === "generation") {
    const seen = layer === "banded" ? n * (2 * r + 1) : n * n;
    each += layer in WEIGHT_COUNTS ? seen * d : 0;
  } else if (fusedWeights || !["attention_fused", "multi_head"].includes(layer)) {
    each += 4 * (WEIGHT_COUNTS[layer]?.(sizes) ?? 0);
  }
  return 4 * (steps * COST_TYPES[layer].parameters(sizes) + batch * each);
}
