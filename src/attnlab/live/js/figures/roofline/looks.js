// How each layer is drawn, and what it is called.

const style = (hue, mark, name) => ({ hue, mark, name });

export const ROOF_STYLES = {
  attention: style("attention", "circle", "attention written out"),
  attention_fused: style("attention", "diamond", "fused attention"),
  gru: style("recurrence", "square", "GRU loop"),
  lstm: style("recurrence", "cross", "LSTM loop"),
  convolution: style("convolution", "wedge", "convolution"),
  feed_forward: style("feedforward", "triangle", "feed-forward"),
};
