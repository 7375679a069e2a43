import { randomUUID } from "node:crypto";
import type { IndexedPost } from "./indexed-post.ts";
import { MEMORY_LIMITS, PostMemory } from "./memory/index.ts";
import type { SnapshotFile } from "./snapshot/index.ts";
import { isBusy } from "./sqlite-errors.ts";
import type { Tables } from "./tables.ts";
import type { Stems } from "./words/stems.ts";
import { weightedTerms, wordsOfText } from "./words/terms.ts";

/** This many posts are read at once when loading or catching up, which bounds what is needed beside the memory. */
const BATCH = 5000;
/** The memory changes its shape and is saved at these sizes. Only benches and tests choose others. */
export const LIMITS = {
  ...MEMORY_LIMITS,
  /** A smaller board is read from its tables in a tenth of a second. */
  snapshotFrom: 2000,
  /** A new snapshot is due after this many changes: catching up with them takes a second. */
  snapshotEvery: 10_000,
  /** It comes no sooner than this after the last one. */
  snapshotPauseMs: 60_000,
};

interface FollowerOptions {
  model: { modelId: string | null; dimension: number };
  snapshot: SnapshotFile | null;
  limits?: typeof LIMITS;
}

/** Keeps the memory up to date with the tables, and a snapshot of it for the next start. */
export class Follower {
  /** The memory is empty until the first question. */
  memory: PostMemory;
  /** True when this connection committed since the change table was last read. */
  stale = true;
  readonly #tables: Tables;
  readonly #stems: Stems;
  readonly #model: { modelId: string | null; dimension: number };
  /** A database in memory has no snapshot. */
  readonly #snapshot: SnapshotFile | null;
  readonly #limits: typeof LIMITS;
  #loaded = false;
  /** The change table was last read at this version of the file. */
  #version = -1;
  /** The snapshot ends with this change. */
  #saved = Number.NEGATIVE_INFINITY;
  #savedAt = Number.NEGATIVE_INFINITY;
  #saving: Promise<void> | null = null;
  #ended = false;
  /**
   * This many erasures of publishers were there when the change table was last read, and when the memory last dropped all
   * dead rows.
   */
  #erasures = 0;
  #purged = 0;

  constructor(tables: Tables, stems: Stems, { model, snapshot, limits = LIMITS }: FollowerOptions) {
    this.#tables = tables;
    this.#stems = stems;
    this.#model = model;
    this.#snapshot = snapshot;
    this.#limits = limits;
    this.memory = this.#newMemory();
  }

  /**
   * Brings the memory up to date with the file. Costs microseconds when nothing changed, else about 50 µs for each
   * changed post. Every question begins with it.
   */
  follow(): void {
    if (this.#tables.inTransaction() || this.isCurrent()) return;
    if (!this.#loaded) this.#load();
    if (!this.isCurrent()) this.#catchUp();
    const isDue = this.memory.change - this.#saved > this.#limits.snapshotEvery;
    if (isDue && performance.now() - this.#savedAt > this.#limits.snapshotPauseMs) this.save();
  }

  #catchUp(): void {
    const tables = this.#tables;
    const version = tables.dataVersion();
    const changes = tables.changesAfter(this.memory.change);
    if (changes === null) {
      this.#read();
      return;
    }
    this.#erasures = changes.erasures;
    const { memory } = this;
    for (let at = 0; at < changes.seqs.length; at += BATCH) {
      const seqs = changes.seqs.slice(at, at + BATCH);
      const posts = tables.rows.postsOf(this.#model.modelId, seqs);
      const alive = new Set(posts.map(({ seq }) => seq));
      for (const seq of seqs) if (!alive.has(seq)) memory.remove(seq);
      this.#put(posts, false);
    }
    if (changes.publishers.length > 0) {
      for (const id of changes.publishers) memory.putPublisher(id, 0);
      for (const { id, status } of tables.rows.publishers(changes.publishers))
        memory.putPublisher(id, status);
    }
    memory.tidy();
    memory.encode();
    memory.change = changes.no;
    this.#version = version;
    this.stale = false;
  }

  /** True when the memory holds all that was committed. Costs microseconds. */
  isCurrent(): boolean {
    return this.#loaded && !this.stale && this.#tables.dataVersion() === this.#version;
  }

  /** The snapshot is gone; another is due. */
  forget(): void {
    this.#saved = Number.NEGATIVE_INFINITY;
  }

  /** Begins to write a snapshot, unless one is being written. */
  save(): void {
    this.#saving ??= this.#write(true).finally(() => {
      this.#saving = null;
    });
  }

  /** Gives up a snapshot that is being written, and writes no other. */
  end(): void {
    this.#ended = true;
  }

  /** Leaves a snapshot behind for the next start. */
  async close(): Promise<void> {
    await this.#saving;
    if (!this.#loaded || !this.#tables.isOpen()) return;
    try {
      this.follow();
    } catch (error) {
      if (!isOutside(error)) throw error;
      return;
    }
    await this.#saving;
    if (this.memory.change !== this.#saved) await this.#write(false);
  }

  async #write(pause: boolean): Promise<void> {
    const { memory } = this;
    if (this.#snapshot === null || memory.rows.live < this.#limits.snapshotFrom) return;
    const mark = randomUUID();
    const erasures = this.#erasures;
    // A removed post stays in the memory for a time, an erased one must not get into a file.
    if (erasures !== this.#purged) memory.compact();
    this.#purged = erasures;
    const { change } = memory;
    // The number is set at once, so that a failed attempt is not repeated at every question.
    this.#saved = change;
    this.#savedAt = performance.now();
    const tables = this.#tables;
    const keep = () => !this.#ended && tables.isOpen() && tables.markSnapshot(mark, erasures);
    try {
      await this.#snapshot.write(memory, mark, keep, pause);
    } catch (error) {
      // The next start reads the tables: slower, and nothing is lost.
      if (!isOutside(error)) throw error;
    }
  }

  /** Fills the memory from the snapshot, or from the tables where there is none of this state. */
  #load(): void {
    const { mark, erasures } = this.#tables.snapshotState();
    const memory = this.#newMemory();
    if (this.#snapshot?.read(memory, mark) === true) {
      memory.clearUnmarkedVectors();
      this.memory = memory;
      this.#saved = memory.change;
      this.#purged = erasures;
      this.#loaded = true;
    } else this.#read();
  }

  /** Reads everything from the tables. When that fails half-way, the next question begins again. */
  #read(): void {
    const tables = this.#tables;
    this.#loaded = false;
    const version = tables.dataVersion();
    this.#erasures = tables.snapshotState().erasures;
    this.#purged = this.#erasures;
    // The change is read before the posts: a commit in between is read twice, which does no harm.
    const change = tables.newestChange();
    this.memory = this.#newMemory();
    const { memory } = this;
    for (let after = 0; ; ) {
      const posts = tables.rows.posts(this.#model.modelId, after, BATCH);
      this.#put(posts, true);
      if (posts.length < BATCH) break;
      after = posts.at(-1)?.seq ?? after;
    }
    memory.rows.keepOrders();
    for (const { id, status } of tables.rows.publishers()) memory.putPublisher(id, status);
    memory.encode();
    memory.change = change;
    this.#version = version;
    this.stale = false;
    this.#loaded = true;
    this.save();
  }

  #newMemory(): PostMemory {
    return new PostMemory(this.#model.dimension, this.#limits);
  }

  #put(posts: readonly IndexedPost[], many: boolean): void {
    const texts = posts.map(({ text }) => wordsOfText(text));
    this.#stems.learn(texts.flatMap(({ title, body, more }) => [title, body, more]));
    for (const [i, post] of posts.entries()) {
      const terms = weightedTerms(texts[i] ?? wordsOfText(post.text), this.#stems);
      this.memory.put(this.#checked(post), terms, many);
    }
  }

  /** A vector of the wrong length counts as none: its model changed under the same name. */
  #checked(post: IndexedPost): IndexedPost {
    return { ...post, vector: post.vector?.length === this.#model.dimension ? post.vector : null };
  }
}

/** True for what SQLite or the system refuses: no snapshot is left then, and nothing is lost. */
const isOutside = (error: unknown) => isBusy(error) || (error instanceof Error && "code" in error);
