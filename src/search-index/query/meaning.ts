import type { RowsWithWords } from "../../search/kernel/sign-codes.ts";
import { TopRows } from "../../search/top-rows.ts";
import { DOT_TO_COSINE } from "../../search/vectors.ts";
import type { PostMemory } from "../memory/index.ts";

/** How many of the best by sign codes are compared exactly, for each one wanted. */
const RESCORED = 2;
/** Rows looked at to learn which share passes the filters. */
const SAMPLE = 512;

/** What is wanted of rows. */
interface Wanted {
  /** Null when no words are asked for, or no row has any. */
  words: (RowsWithWords & { scores: Float32Array }) | null;
  /** Cosine from which meaning alone supports a row. */
  floor: number;
  limit: number;
  passes(row: number): boolean;
}

/**
 * The best rows by the fused score with their dot products, in no order. On a small board all are compared exactly, on a
 * large one those that are best by their sign codes.
 */
export function bestByMeaning(
  memory: PostMemory,
  vector: Int8Array,
  wanted: Wanted,
): { rows: Uint32Array; dots: Int32Array } {
  const { vectors, rows } = memory;
  const near = memory.coded === 0 ? null : nearestByCodes(memory, vector, wanted);
  const dots = near === null ? vectors.scan(vector, rows.size) : vectors.dots(vector, near);
  const { words, passes, floor } = wanted;
  const top = new TopRows(wanted.limit, Number.NEGATIVE_INFINITY);
  for (let at = 0; at < dots.length; at += 1) {
    const row = near === null ? at : (near[at] ?? 0);
    const dot = dots[at] ?? 0;
    const cosine = dot * DOT_TO_COSINE;
    const hasWords = words !== null && (words.scores[row] ?? 0) > 0;
    if (!hasWords && cosine < floor) continue;
    const score = hasWords ? words.fused(row, cosine) : cosine;
    if (score <= top.floor || !passes(row)) continue;
    // A row without a vector has zeros in its place.
    if (!hasWords && dot === 0 && !rows.hasVector(row)) continue;
    top.add(at, score);
  }
  const places = top.rows();
  return { rows: near === null ? places : picked(near, places), dots: picked(dots, places) };
}

/** The rows that are best when a cosine is estimated from sign codes: enough of them that the best are there. */
function nearestByCodes(memory: PostMemory, vector: Int8Array, wanted: Wanted): Uint32Array {
  const { words, limit, passes } = wanted;
  const { size } = memory.rows;
  let passing = 0;
  for (let i = 0; i < SAMPLE; i += 1) if (passes(Math.floor((i * size) / SAMPLE))) passing += 1;
  const share = Math.max(passing, 1) / SAMPLE;
  const mostWithWords = Math.ceil(limit / share);
  const most = mostWithWords * RESCORED;
  const nearest = memory.codes.nearest(vector, memory.centreVector(), { size, words, most, mostWithWords });
  // Those that do not pass need not be compared.
  return share < 0.5 ? nearest.filter(passes) : nearest;
}

function picked<T extends Uint32Array | Int32Array>(from: T, places: Uint32Array): T {
  const out = from.slice(0, places.length) as T;
  for (let at = 0; at < out.length; at += 1) out[at] = from[places[at] ?? 0] ?? 0;
  return out;
}
