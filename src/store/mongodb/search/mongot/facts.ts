import type { Point } from "../../../../search/distance.ts";

/** What a ranking reads of a post: a part of its document, from wherever it came. */
export interface Facts {
  createdAt: number;
  updatedAt: number;
  windowStart: number;
  windowEnd: number;
  point: Point | null;
  publisherId: string;
  source: string | null;
  syndicated: boolean;
  /** Null also when it was not asked for. */
  vector: Int8Array | null;
}
