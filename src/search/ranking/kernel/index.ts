import { KERNEL } from "./bytes.ts";

/** This part of WebAssembly is in use here; Node's types leave it to the browser's. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: unknown };
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => KernelMemory;
};

/** The memory grows in place; views of the former length stay valid. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

/** Runs one instance of `kernel.wat` over a memory. Its functions are described there. */
export interface Kernel {
  readonly memory: KernelMemory;
  dots(query: number, rows: number, count: number, width: number, out: number): void;
  dotsOf(query: number, rows: number, list: number, count: number, width: number, out: number): void;
  differences(query: number, codes: number, count: number, width: number, counts: number, out: number): void;
}

/** A memory grows by this many bytes. */
export const PAGE_BYTES = 65_536;
/** These make 4 GiB, all that addresses of 32 bits reach. Only pages in use take memory. */
const MAX_PAGES = 65_536;

let compiled: object | undefined;

/** Makes a memory of one page. */
export function newKernelMemory(): KernelMemory {
  return new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES, shared: true });
}

/** Makes a new instance; the code is compiled once. */
export function openKernel(memory: KernelMemory = newKernelMemory()): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL, "base64"));
  const { exports } = new WebAssembly.Instance(compiled, { shared: { memory } });
  return { ...(exports as Omit<Kernel, "memory">), memory };
}

/** Makes a memory at least `bytes` long, by a quarter or more at a time. */
export function growTo(memory: KernelMemory, bytes: number): void {
  const { byteLength } = memory.buffer;
  const missing = bytes - byteLength;
  if (missing > 0) memory.grow(Math.ceil(Math.max(missing, byteLength / 4) / PAGE_BYTES));
}
