import { LRUCache } from "lru-cache";
import type { FrozenRanking } from "../../ports/store/index.ts";

const KEPT_MAX = 500;
/** Stands between two ids, which hold no blank. */
const BETWEEN = " ";

/** A ranking as one text and one array: as a thousand strings it would keep the garbage collector busy. */
interface Packed extends Omit<FrozenRanking, "ids" | "relevance"> {
  ids: string;
  relevance: Float64Array;
  isSaved: boolean;
}

/** The rankings of this process's latest walks, some 20 KB each. */
export class KeptRankings {
  readonly #packed = new LRUCache<string, Packed>({ max: KEPT_MAX });

  get(id: string): FrozenRanking | null {
    const packed = this.#packed.get(id);
    if (packed === undefined) return null;
    const { isSaved, ...ranking } = packed;
    const ids = ranking.ids === "" ? [] : ranking.ids.split(BETWEEN);
    return { ...ranking, ids, relevance: [...ranking.relevance] };
  }

  /** When the ranking under this name expires; null when none is kept. */
  expiryOf(id: string): number | null {
    return this.#packed.get(id)?.expiresAt ?? null;
  }

  /** @param isSaved  whether the store holds it */
  set(ranking: FrozenRanking, isSaved: boolean): void {
    const ids = ranking.ids.join(BETWEEN);
    const relevance = Float64Array.from(ranking.relevance);
    this.#packed.set(ranking.id, { ...ranking, ids, relevance, isSaved });
  }

  has(id: string): boolean {
    return this.#packed.has(id);
  }

  isSaved(id: string): boolean {
    return this.#packed.get(id)?.isSaved === true;
  }

  saved(id: string): void {
    const packed = this.#packed.get(id);
    if (packed !== undefined) packed.isSaved = true;
  }
}
