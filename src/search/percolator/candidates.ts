/** A saved query that a post may answer. */
export interface Candidate<T> {
  id: string;
  value: T;
  /** Of the two vectors, or null when one is missing. */
  cosine: number | null;
}

const CHUNK = 4_096;

interface Chunk<T> {
  ids: string[];
  values: (T | undefined)[];
  /** The number of the last post that each was given to. */
  rounds: Uint32Array;
}

/**
 * Ids and values of saved queries by row number, and those found for the current post. In columns, so that everything
 * looked up for a candidate lies on few pages of memory; in chunks, so that growing copies nothing.
 */
export class Candidates<T> {
  readonly #chunks: Chunk<T>[] = [];
  #round = 0;
  #given: Candidate<T>[] = [];

  set(row: number, id: string, value: T): void {
    while (this.#chunks.length * CHUNK <= row) {
      const ids = new Array<string>(CHUNK).fill("");
      const values = new Array<T | undefined>(CHUNK).fill(undefined);
      this.#chunks.push({ ids, values, rounds: new Uint32Array(CHUNK) });
    }
    const chunk = this.#chunkOf(row);
    chunk.ids[row % CHUNK] = id;
    chunk.values[row % CHUNK] = value;
    chunk.rounds[row % CHUNK] = 0;
  }

  clear(row: number): void {
    const chunk = this.#chunkOf(row);
    chunk.ids[row % CHUNK] = "";
    chunk.values[row % CHUNK] = undefined;
  }

  /** Starts on a new post. */
  begin(): void {
    this.#round += 1;
    this.#given = [];
  }

  /** Gives a query to the post, unless it already was. */
  give(row: number, cosine: number | null): void {
    const { ids, values, rounds } = this.#chunkOf(row);
    const at = row % CHUNK;
    if (rounds[at] === this.#round) return;
    rounds[at] = this.#round;
    this.#given.push({ id: ids[at] as string, value: values[at] as T, cosine });
  }

  given(): Candidate<T>[] {
    return this.#given;
  }

  #chunkOf(row: number): Chunk<T> {
    return this.#chunks[Math.floor(row / CHUNK)] as Chunk<T>;
  }
}
