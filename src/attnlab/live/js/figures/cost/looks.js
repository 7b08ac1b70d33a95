// How each layer is drawn, and what it is called.

import { makeSvg } from "../../parts/elements.js";

const look = (hue, mark, dash, name, short = name) => ({ hue, mark, dash, name, short });
const inAttention = (...rest) => look("attention", ...rest);
const inRecurrence = (...rest) => look("recurrence", ...rest);
const inConvolution = (...rest) => look("convolution", ...rest);

// Hue, mark, dash, and the name, in full and short. The hue tells the family; dash and mark
// tell the layer, and so does its name at the end of the curve.
export const COST_LOOKS = {
  attention: inAttention("circle", "", "self-attention", "self-att."),
  attention_fused: inAttention("diamond", "9 4", "fused self-attention", "fused att."),
  multi_head: inAttention("square", "12 3 2 3", "multi-head attention", "multi-head"),
  banded: look("restricted", "triangle", "2 4", "restricted attention", "restricted"),
  additive: inAttention("cross", "6 3 1 3 1 3", "additive attention", "additive"),
  rnn: inRecurrence("triangle", "2 4", "stepwise RNN", "step RNN"),
  gru: inRecurrence("square", "12 3 2 3", "stepwise GRU", "step GRU"),
  lstm: inRecurrence("cross", "6 3 1 3 1 3", "stepwise LSTM", "step LSTM"),
  rnn_fused: inRecurrence("diamond", "9 4", "RNN"),
  gru_fused: inRecurrence("circle", "", "GRU"),
  lstm_fused: inRecurrence("wedge", "16 4", "LSTM"),
  convolution: inConvolution("circle", "", "convolution", "convol."),
  dilated: inConvolution("diamond", "9 4", "dilated stack", "dilated"),
  separable: inConvolution("triangle", "2 4", "separable convolution", "separable"),
};

const MARK_PATHS = {
  circle: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  square: "M-3.6-3.6h7.2v7.2h-7.2Z",
  diamond: "M0-5L5 0L0 5L-5 0Z",
  triangle: "M0-4.8L4.8 3.6H-4.8Z",
  wedge: "M0 4.8L4.8-3.6H-4.8Z",
  cross: "M-4.5-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3Z",
};

/** A layer's mark, of the class `name`. */
export function costMark(layer, x, y, name) {
  const d = MARK_PATHS[COST_LOOKS[layer].mark];
  const transform = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  return makeSvg("path", { class: name, d, transform });
}
