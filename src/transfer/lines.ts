import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

/** No line of an export is nearly as long. */
const LINE_BYTES = 16 * 1024 * 1024;
const LINE_BREAK = 0x0a;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Reads the lines of a file, gunzipped if need be, without their line breaks. */
export async function* linesOf(
  file: string,
  read: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const zipped = await isGzip(file);
  const raw = createReadStream(file, { highWaterMark: 256 * 1024 });
  const stream: Readable = zipped ? pipeline(raw, createGunzip(), () => {}) : raw;
  /** The line that goes on, in pieces: put together with each chunk, a long one would be copied as often as it has chunks. */
  let pieces: Buffer[] = [];
  let reported = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read(raw.bytesRead - reported);
      reported = raw.bytesRead;
      let start = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
        yield Buffer.concat([...pieces, chunk.subarray(start, end)]);
        pieces = [];
        start = end + 1;
      }
      pieces.push(chunk.subarray(start));
      if (bytesOf(pieces) > LINE_BYTES)
        throw new Error(`${file} has a line of more than ${LINE_BYTES} bytes.`);
    }
    if (bytesOf(pieces) > 0) yield Buffer.concat(pieces);
  } catch (error) {
    if (!/^Z_/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    throw new Error(`${file} is cut off or damaged: it cannot be gunzipped.`, { cause: error });
  } finally {
    raw.destroy();
  }
}

const bytesOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.equals(GZIP);
  } finally {
    await handle.close();
  }
}
