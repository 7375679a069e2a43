const PROBED_BYTES = 512 * 1024 * 1024;
const PROBES = 12;

/**
 * Bytes that one thread reads of memory in a millisecond, at the fastest: the C library looks through half a gigabyte for a
 * byte that is not there. No search that looks at so many bytes can take less time.
 */
export function bytesPerMs(): number {
  const memory = Buffer.alloc(PROBED_BYTES, 1);
  let fastest = Number.POSITIVE_INFINITY;
  for (let probe = 0; probe < PROBES; probe += 1) {
    const began = performance.now();
    if (memory.indexOf(0) !== -1) throw new Error("The probe changed.");
    fastest = Math.min(fastest, performance.now() - began);
  }
  return PROBED_BYTES / fastest;
}

/** A posting of 8-bit impacts: four bytes for the post, one for its weight. */
export const POSTING_BYTES = 5;
