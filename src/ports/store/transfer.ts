import type { BoardRows, RowKind } from "../../records/index.ts";

export { OF_HOSTS } from "../../records/index.ts";

export type RowPage = { [K in RowKind]: { kind: K; rows: BoardRows[K][] } }[RowKind];

/** Reads a board as it is at one moment, while it goes on changing. */
export interface BoardSnapshot {
  counts: Readonly<Record<RowKind, number>>;
  /** Gives every row, kind after kind in the order of `ROW_KINDS`, of that one moment; bounded in memory. */
  pages(): AsyncIterable<RowPage>;
  close(): Promise<void>;
}

/** Reads and writes whole boards, for a move from one store to another. */
export interface TransferStore {
  /** Erasures under way are finished first. Others read and write meanwhile, undisturbed. */
  snapshot(): Promise<BoardSnapshot>;
  /**
   * Writes rows as they are, with what follows from them (index, queues), and moves a mark, all in one transaction: a
   * crash leaves all or nothing. A setting replaces the one of its name, a counter is added to what is there.
   *
   * @param mark  a setting that must have the value `from` (null: must not be there) and gets the value `to`; of two
   *   writers at once, only one gets on
   * @throws Error when the mark has another value, a row already exists, or what it belongs to is missing
   */
  write(pages: readonly RowPage[], mark: { name: string; from: string | null; to: string }): Promise<void>;
}
