export type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** Keeps a column of numbers that grows by being copied. */
export class Column<T extends Numbers> {
  /** The view is longer than what is in use. */
  view: T;
  readonly #make: new (
    buffer: ArrayBuffer,
  ) => T;
  readonly #bytes: number;

  constructor(make: (new (buffer: ArrayBuffer) => T) & { BYTES_PER_ELEMENT: number }, length = 256) {
    this.#make = make;
    this.#bytes = make.BYTES_PER_ELEMENT;
    this.view = new make(new ArrayBuffer(length * this.#bytes));
  }

  /** Makes room for `length` numbers. */
  reserve(length: number): void {
    if (length <= this.view.length) return;
    const larger = new this.#make(
      new ArrayBuffer(Math.max(length, Math.ceil(this.view.length * 1.25)) * this.#bytes),
    );
    larger.set(this.view as never);
    this.view = larger;
  }

  get buffer(): ArrayBuffer {
    return this.view.buffer as ArrayBuffer;
  }

  /** Takes these bytes in place of its own. */
  adopt(buffer: ArrayBuffer): void {
    if (this.view.buffer !== buffer) this.view = new this.#make(buffer);
  }
}
