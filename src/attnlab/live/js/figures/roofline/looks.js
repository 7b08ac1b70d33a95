// How each layer is drawn, and what it is called: hue, mark, name, and the name in
// the picture.

const style = (hue, mark, name, short = name) => ({ hue, mark, name, short });

export const ROOF_STYLES = {
  attention: style("attention", "circle", "attention written out", "written out"),
  attention_fused: style("attention", "diamond", "fused attention", "fused"),
  gru: style("recurrence", "square", "GRU, a loop"),
  lstm: style("recurrence", "cross", "LSTM, a loop"),
  convolution: style("convolution", "wedge", "convolution"),
  feed_forward: style("feedforward", "triangle", "feed-forward"),
};
