// A model as a file that attnlab.saved loads: safetensors, in float32, the model's kind,
// config and vocabularies in its header.

/** The bytes of the file; `about` is whatever else there is to say. */
export function saveModel({ kind, config, parameters }, about) {
  let end = 0;
  const entries = [...parameters.byName].map(([name, { shape, size }]) => {
    const start = end;
    end += 4 * size;
    return [name, { dtype: "F32", shape, data_offsets: [start, end] }];
  });
  const metadata = { attnlab: JSON.stringify({ ...about, kind, config }) };
  const header = JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(entries) });
  const text = new TextEncoder().encode(header);
  const room = Math.ceil(text.length / 8) * 8; // spaces at its end keep the numbers aligned
  const bytes = new Uint8Array(8 + room + end).fill(32, 8, 8 + room);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(room), true);
  bytes.set(text, 8);
  let at = 8 + room;
  for (const { data } of parameters.byName.values()) {
    for (const number of data) {
      view.setFloat32(at, number, true);
      at += 4;
    }
  }
  return bytes;
}
