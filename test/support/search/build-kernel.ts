import { readFileSync, writeFileSync } from "node:fs";
import wabt from "wabt";

const SOURCE = new URL("../../../src/search/ranking/kernel/kernel.wat", import.meta.url);
const TARGET = new URL("../../../src/search/ranking/kernel/bytes.ts", import.meta.url);

/** Writes the generated module: the kernel's bytes, compiled from `kernel.wat`. */
export async function kernelModule(): Promise<string> {
  const { parseWat } = await wabt();
  const parsed = parseWat("kernel.wat", readFileSync(SOURCE, "utf8"), { simd: true, threads: true });
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  return `// \`npx tsx test/support/search/build-kernel.ts\` makes this file of kernel.wat; a test compares.

/** The WebAssembly is ${buffer.length} bytes long, uses SIMD, and stands here as base64. */
export const KERNEL =
  "${Buffer.from(buffer).toString("base64")}";
`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(TARGET, await kernelModule());
}
