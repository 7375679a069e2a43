import type { Ranked, RelatedQuestion } from "../../ports/search-index.ts";
import type { Comparison } from "../../search/kernel/comparison.ts";
import type { KernelMemory } from "../../search/kernel/index.ts";
import type { Answers, IndexModel } from "../local.ts";
import type { Loan } from "../memory/lending.ts";

/** What the thread starts with. */
export interface ThreadStart {
  /** The database's file. */
  file: string;
  model: IndexModel;
  /** Shared: a 32-bit number for each `id` of a question, 1 when nobody waits for its answer any more. */
  gone: SharedArrayBuffer;
  /** Shared: one 32-bit number, of questions that have not been sent yet. */
  waiting: SharedArrayBuffer;
  /** Those of `Turns`. */
  turns: SharedArrayBuffer;
}

/** The questions that are passed on as they are. */
export type Method = keyof Pick<
  Answers,
  "rank" | "match" | "list" | "copies" | "count" | "spots" | "spellings" | "related" | "vectors" | "cosines"
>;

/** Questions that may take milliseconds among many posts. The others are put before them, and hardly hold them up. */
export const isLong = (method: Method): boolean => method === "rank" || method === "count";

/** A question that need not wait for the end of a long one: it is answered between two blocks of rows. */
export const isUrgent = (order: ThreadQuestion): order is UrgentQuestion => order.method === "related";

export interface ThreadQuestion {
  id: number;
  method: Method;
  args: unknown[];
}

interface UrgentQuestion extends ThreadQuestion {
  method: "related";
  args: [id: string, asked: RelatedQuestion];
}

/**
 * What it is sent: a question, news of an erasure, or the request to end. The `id` of a question is free again when it has
 * been answered.
 */
export type ThreadOrder = ThreadQuestion | "forget" | "end";

/** What it says: where its memory lies, once when it is ready, then an answer to each question. */
export type ThreadNews = "ready" | { loan: Loan } | ThreadAnswer;

/** `errcode` is SQLite's, null for other errors. */
export type ThreadAnswer =
  | { id: number; answer: unknown }
  | { id: number; failure: { message: string; errcode: number | null } };

/** A ranking as it travels: two values are copied faster than a thousand objects. */
export interface PackedRanking {
  /** Ids, each but the last followed by a line break. */
  ids: string;
  relevance: Float64Array;
}

export function packRanking(ranked: readonly Ranked[]): PackedRanking {
  const relevance = new Float64Array(ranked.length);
  for (const [at, one] of ranked.entries()) relevance[at] = one.relevance;
  return { ids: ranked.map(({ id }) => id).join("\n"), relevance };
}

export function unpackRanking({ ids, relevance }: PackedRanking): Ranked[] {
  if (relevance.length === 0) return [];
  return ids.split("\n").map((id, at) => ({ id, relevance: relevance[at] ?? 0 }));
}

/** What the helper is sent: codes that it has not seen yet, or a comparison among those it saw last. */
export type HelperOrder = { memory: KernelMemory; dimension: number } | Comparison;

/** Shared numbers: 1 once the helper is ready, and how many chunks it has compared. */
export const HELPER = { ready: 0, chunks: 1, numbers: 2 } as const;
