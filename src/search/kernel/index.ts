import { KERNEL } from "./bytes.ts";

/** The part of WebAssembly in use here; Node's types leave it to the browser's. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** One instance of `kernel.wat` with a memory of its own, 64 KiB at first. Its functions are described there. */
export interface Kernel {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  dots(query: number, rows: number, count: number, width: number, out: number): void;
  dotsOf(query: number, rows: number, list: number, count: number, width: number, out: number): void;
  recordsReaching(
    query: number,
    records: number,
    list: number,
    count: number,
    width: number,
    size: number,
    floor: number,
    all: number,
    out: number,
  ): number;
}

/** Bytes by which a memory grows. */
export const PAGE_BYTES = 65_536;

let compiled: object | undefined;

/** A new instance; the code is compiled once. */
export function openKernel(): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL, "base64"));
  return new WebAssembly.Instance(compiled).exports as unknown as Kernel;
}
