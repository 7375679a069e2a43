import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { crc32 } from "node:zlib";
import { giveToFolder } from "../../../platform/folders.ts";
import type { PostMemory } from "../memory/index.ts";
import { type Scalars, scalarsOf, sectionsOf, setScalars } from "../memory/sections.ts";

/** Changes with the meaning of any byte. */
const FORMAT = "agent-board search 10";
/** A file begins with this many bytes: the length of the header and its checksum, each a u32. */
const PREFIX = 8;
/** A header names some thirty sections; a longer one is damaged. */
const HEADER_MAX = 65_536;
/** This many bytes are written or read at once. Between two writes other work may run. */
const CHUNK = 1 << 20;

interface Header {
  format: string;
  /** Ties the file to the database's state: the database holds the same. */
  mark: string;
  model: string;
  scalars: Scalars;
  sections: { name: string; bytes: number; crc: number }[];
}

const suffix = "-search";

/** Snapshots of a database are kept or written in these files; they mean nothing without it. */
export function snapshotFiles(database: string): string[] {
  const folder = dirname(database);
  const name = basename(database) + suffix;
  return readdirSync(folder)
    .filter((file) => file === name || file.startsWith(`${name}-new-`))
    .map((file) => join(folder, file));
}

/** Keeps the memory as it was, in a file beside the database. */
export class SnapshotFile {
  readonly #database: string;
  readonly #path: string;
  /** Each thread of each process has its own. */
  readonly #unfinished: string;
  readonly #model: string;

  /**
   * @param database  the file that it belongs to
   * @param model  whose vectors are in it
   */
  constructor(database: string, model: string) {
    this.#database = database;
    this.#path = database + suffix;
    this.#unfinished = `${this.#path}-new-${process.pid}-${threadId}`;
    this.#model = model;
  }

  /**
   * Fills an empty memory.
   * @param mark  that the file must have; null when the database has none
   * @returns false when there is no file, or one that is damaged or of another state; the memory is then of no use, and
   *   the file is gone
   */
  read(memory: PostMemory, mark: string | null): boolean {
    this.#clearUnfinished();
    if (mark !== null && this.#fill(memory, mark)) return true;
    // A process that died may have left what was erased.
    discard(this.#path);
    return false;
  }

  #fill(memory: PostMemory, mark: string): boolean {
    let file: number;
    try {
      file = openSync(this.#path, "r");
    } catch {
      return false;
    }
    try {
      const header = readHeader(file);
      if (header?.format !== FORMAT || header.mark !== mark || header.model !== this.#model) return false;
      const sections = sectionsOf(memory);
      for (const [at, { name, bytes, crc }] of header.sections.entries()) {
        const section = sections[at];
        if (section?.name !== name) return false;
        let sum = 0;
        for (const piece of section.room(bytes)) {
          for (let from = 0; from < piece.length; from += CHUNK) {
            const chunk = piece.subarray(from, from + CHUNK);
            if (readSync(file, chunk) !== chunk.length) return false;
            sum = crc32(chunk, sum);
          }
        }
        if (sum !== crc) return false;
      }
      setScalars(memory, header.scalars);
      return header.sections.length === sections.length;
    } catch {
      return false;
    } finally {
      closeSync(file);
    }
  }

  /**
   * Writes the memory as it is now. What changes in place is copied first, so the memory may go on changing; when its
   * rows move meanwhile, the file is given up.
   *
   * @param keep  called when the file is complete, just before it takes its place; false gives it up
   * @returns false when it was given up
   */
  async write(memory: PostMemory, mark: string, keep: () => boolean, pause = true): Promise<boolean> {
    const file = openSync(this.#unfinished, "w", 0o600);
    giveToFolder(this.#unfinished);
    try {
      const { moves } = memory;
      const scalars = scalarsOf(memory);
      const sections = sectionsOf(memory).map(({ name, pieces, changes }) => {
        return { name, pieces: changes ? pieces.map((piece) => piece.slice()) : pieces };
      });
      const header: Header = { format: FORMAT, mark, model: this.#model, scalars, sections: [] };
      let at = PREFIX + HEADER_MAX;
      for (const { name, pieces } of sections) {
        let [bytes, crc] = [0, 0];
        for (const piece of pieces) {
          for (let from = 0; from < piece.length; from += CHUNK) {
            // A copy is made, since what is written and what is summed must be the same bytes.
            const chunk = piece.slice(from, from + CHUNK);
            writeAll(file, chunk, at + bytes);
            bytes += chunk.length;
            crc = crc32(chunk, crc);
            if (pause) await turn();
            if (memory.moves !== moves) return false;
          }
        }
        header.sections.push({ name, bytes, crc });
        at += bytes;
      }
      writeHeader(file, header);
      // An erasure, before or after the mark, takes the file away.
      const isThere = () => existsSync(this.#unfinished);
      if (!isThere() || !keep() || !isThere()) return false;
      renameSync(this.#unfinished, this.#path);
      return true;
    } finally {
      closeSync(file);
      rmSync(this.#unfinished, { force: true });
    }
  }

  /** Removes what processes left that died while they wrote. */
  #clearUnfinished(): void {
    for (const file of snapshotFiles(this.#database)) {
      const pid = /-new-(\d+)-\d+$/.exec(file)?.[1];
      if (pid !== undefined && !isRunning(Number(pid))) discard(file);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Removes a file where that is possible; one that stays is not read. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

function readHeader(file: number): Header | null {
  const prefix = new Uint32Array(2);
  if (readSync(file, prefix) !== PREFIX) return null;
  const [length = 0, crc] = prefix;
  if (length > HEADER_MAX) return null;
  const bytes = Buffer.alloc(HEADER_MAX);
  if (readSync(file, bytes) !== HEADER_MAX) return null;
  const text = bytes.subarray(0, length);
  return crc32(text) === crc ? (JSON.parse(text.toString()) as Header) : null;
}

function writeHeader(file: number, header: Header): void {
  const text = Buffer.from(JSON.stringify(header));
  if (text.length > HEADER_MAX) throw new RangeError("The header of a snapshot is too long.");
  writeAll(file, new Uint8Array(Uint32Array.of(text.length, crc32(text)).buffer), 0);
  const padded = Buffer.alloc(HEADER_MAX);
  text.copy(padded);
  writeAll(file, padded, PREFIX);
}

function writeAll(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  }
}
