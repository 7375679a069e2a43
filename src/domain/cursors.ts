import { createHmac, timingSafeEqual } from "node:crypto";
import { BoardError } from "../board/failures.ts";
import type { Position } from "../ports/store/index.ts";

/** Makes opaque cursors of the board: signed, and good only for the list they came from. */
export class Cursors {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param list  names the list and its filters; a cursor of another list is refused */
  write(list: string, values: readonly (string | number)[]): string {
    return encodeCursor([list, ...values], this.#key);
  }

  /**
   * Reads the values behind a cursor of this list.
   * @throws BoardError `invalid_cursor`
   */
  read(list: string, cursor: string): (string | number)[] {
    const payload = decodeCursor(cursor, this.#key);
    if (!Array.isArray(payload) || payload[0] !== list) throw new BoardError("invalid_cursor");
    return payload.slice(1) as (string | number)[];
  }

  /** Reads the number behind a cursor of this list, or null without one. */
  readNumber(list: string, cursor: string | undefined): number | null {
    if (cursor === undefined) return null;
    const [value] = this.read(list, cursor);
    if (typeof value !== "number") throw new BoardError("invalid_cursor");
    return value;
  }

  /** @param shown  how many rows were shown up to this position; for lists that count them */
  writePosition(list: string, position: Position, shown = 0): string {
    return this.write(list, [position.at, position.id, ...(shown === 0 ? [] : [shown])]);
  }

  /** Tells how many rows a walk has shown before this cursor. */
  readShown(list: string, cursor: string | undefined): number {
    if (cursor === undefined) return 0;
    const [, , shown = 0] = this.read(list, cursor);
    return typeof shown === "number" ? shown : 0;
  }

  readPosition(list: string, cursor: string | undefined): Position | null {
    if (cursor === undefined) return null;
    const [at, id] = this.read(list, cursor);
    if (typeof at !== "number" || typeof id !== "string") throw new BoardError("invalid_cursor");
    return { at, id };
  }
}

/** Cuts one page of a list that was asked for one row more: its rows, and the last of them when more follow. */
export function cutPage<T>(rows: readonly T[], limit: number): { shown: readonly T[]; last: T | null } {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? (shown.at(-1) ?? null) : null };
}

/** A list whose cursor is never null needs it: only this note says whether to ask again now or later. */
export const FULL_PAGE = "This page is full, so more may be waiting: ask again now with `next_cursor`.";

/** 72 bits are short enough for a model to copy, and the board's limits stop anyone long before a guess hits. */
const MAC_BYTES = 9;
/** Anything longer was not made here. */
const MAX_CHARS = 2000;

/**
 * Makes an opaque cursor: base64url of compact JSON and a truncated HMAC-SHA256 over it. A payload of 75 bytes makes 112
 * characters.
 *
 * @param payload  what JSON can carry
 */
export function encodeCursor(payload: unknown, key: string | Uint8Array): string {
  const json = Buffer.from(JSON.stringify(payload));
  return Buffer.concat([macOf(json, key), json]).toString("base64url");
}

/** Reads the payload of a cursor made with this key, or null when it is damaged, foreign or oversized. */
export function decodeCursor(text: string, key: string | Uint8Array): unknown {
  if (text.length > MAX_CHARS || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64url");
  // Node skips what is not base64url; only the spelling that `encodeCursor` gives is accepted.
  if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== text) return null;
  const json = bytes.subarray(MAC_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(json, key))) return null;
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    return null;
  }
}

function macOf(json: Uint8Array, key: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update("cursor\0").update(json).digest().subarray(0, MAC_BYTES);
}
