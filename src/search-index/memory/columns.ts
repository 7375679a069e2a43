/** Numbers in memory that threads can share. */
export type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A column of numbers that grows by being copied. All threads that share it must then be told. */
export class Column<T extends Numbers> {
  /** Longer than what is in use. */
  view: T;
  readonly #make: new (
    buffer: SharedArrayBuffer,
  ) => T;
  readonly #bytes: number;

  constructor(make: (new (buffer: SharedArrayBuffer) => T) & { BYTES_PER_ELEMENT: number }, length = 256) {
    this.#make = make;
    this.#bytes = make.BYTES_PER_ELEMENT;
    this.view = new make(new SharedArrayBuffer(length * this.#bytes));
  }

  /** Makes room for `length` numbers. */
  reserve(length: number): void {
    if (length <= this.view.length) return;
    const larger = new this.#make(
      new SharedArrayBuffer(Math.max(length, Math.ceil(this.view.length * 1.25)) * this.#bytes),
    );
    larger.set(this.view as never);
    this.view = larger;
  }

  get buffer(): SharedArrayBuffer {
    return this.view.buffer as SharedArrayBuffer;
  }

  /** Takes over what another thread made. */
  adopt(buffer: SharedArrayBuffer): void {
    if (this.view.buffer !== buffer) this.view = new this.#make(buffer);
  }
}
