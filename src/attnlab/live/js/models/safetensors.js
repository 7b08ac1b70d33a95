// Reads a .safetensors file: eight bytes that say how long the header is, the header
// (JSON: each tensor's dtype, shape and place), then the numbers, little-endian.

// Returns { tensors: Map(name -> { shape, data: Float32Array }), metadata }. Throws if the
// file is cut off, or if a tensor is not what the header says, or holds NaN or infinity.
export function parseSafetensors(buffer) {
  const { header, numbers } = splitSafetensors(buffer);
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = new Map();
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [start, end],
    },
  ] of Object.entries(entries)) {
    const read = READERS[dtype];
    if (!read) throw new TypeError(`tensors are F32, F16 or I8 here, not ${dtype}`);
    const count = shape.reduce((product, size) => product * size, 1);
    if (start < 0 || end > numbers.byteLength || end - start !== count * read.bytes) {
      throw new RangeError(`the tensor ${name} does not have the ${count} numbers of its shape`);
    }
    const data = read.from(numbers, start, count);
    if (!allFinite(data)) throw new RangeError(`the tensor ${name} holds what is no number`);
    tensors.set(name, { shape, data });
  }
  return { tensors, metadata };
}

// The header and, as a DataView, what follows it.
function splitSafetensors(buffer) {
  const view = new DataView(buffer);
  const length = view.byteLength < 8 ? NaN : Number(view.getBigUint64(0, true));
  if (!(8 + length <= view.byteLength))
    throw new RangeError("the file ends before its header does");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  return { header, numbers: new DataView(buffer, 8 + length) };
}

// How many bytes a number of each type has, and how to read `count` of them.
const READERS = {
  I8: {
    bytes: 1,
    from: (view, at, count) =>
      new Float32Array(new Int8Array(view.buffer, view.byteOffset + at, count)),
  },
  F16: {
    bytes: 2,
    from: (view, at, count) =>
      readNumbers(count, (i) => floatFromHalf(view.getUint16(at + 2 * i, true))),
  },
  F32: {
    bytes: 4,
    from: (view, at, count) => readNumbers(count, (i) => view.getFloat32(at + 4 * i, true)),
  },
};

// (Loops, not `from` and `every`, which take ten times as long: the page waits.)
function readNumbers(count, number) {
  const data = new Float32Array(count);
  for (let i = 0; i < count; i++) data[i] = number(i);
  return data;
}

function allFinite(data) {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return false;
  return true;
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
