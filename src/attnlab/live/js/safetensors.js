// Reads a .safetensors file: eight bytes that say how long the header is, the header
// (JSON: each tensor's dtype, shape and place), then the numbers, little-endian.

// Returns { tensors: Map(name -> { shape, data: Float32Array }), metadata }.
export function parseSafetensors(buffer) {
  const view = new DataView(buffer);
  const headerLength = Number(view.getBigUint64(0, true));
  const bytes = new Uint8Array(buffer, 8, headerLength);
  const header = JSON.parse(new TextDecoder().decode(bytes));
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = new Map();
  for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(entries)) {
    const from = 8 + headerLength + start;
    tensors.set(name, { shape, data: readNumbers(view, dtype, from, end - start) });
  }
  return { tensors, metadata };
}

function readNumbers(view, dtype, from, length) {
  if (dtype === "I8") return Float32Array.from(new Int8Array(view.buffer, from, length));
  if (dtype === "F16") {
    const numbers = new Float32Array(length / 2);
    for (let i = 0; i < numbers.length; i++) {
      numbers[i] = floatFromHalf(view.getUint16(from + 2 * i, true));
    }
    return numbers;
  }
  if (dtype === "F32") {
    return Float32Array.from({ length: length / 4 }, (_, i) => view.getFloat32(from + 4 * i, true));
  }
  throw new TypeError(`tensors are F32, F16 or I8 here, not ${dtype}`);
}

// IEEE 754 half precision: 1 bit sign, 5 bits exponent, 10 bits fraction.
export function floatFromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24; // zero and subnormal numbers
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
