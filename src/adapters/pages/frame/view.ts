import type { Site } from "../../../domain/site.ts";
import type { BoardError } from "../../../failures.ts";
import type { Success } from "../../calls/envelope.ts";

/** What a page is made from. */
export interface Asked {
  site: Site;
  /** From the path, such as an id. */
  params: Readonly<Record<string, string>>;
  /** From the query; empty ones are gone, those sent twice are joined by commas. */
  sent: Readonly<Record<string, string>>;
  /** Of these, what the operation knows: only that is carried along in links. */
  query: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  now: number;
  /**
   * Asks the operation with this GET route, such as `/posts/{id}`. What it costs was admitted before.
   * @throws BoardError whatever the operation may answer
   */
  ask(route: string, input: Record<string, unknown>): Promise<Success>;
}

/** A page in two forms; the third, JSON, is the answer of the operation that it shows. */
interface Shown {
  html(): string;
  markdown(): string;
  /** Only where a page shows more than one operation. */
  json?: unknown;
  /** Opaque, when there are more results. */
  nextCursor?: string | null;
}

/** A page: the operation whose limits count, its paths, and what it shows. */
export interface View {
  /** GET route of the operation that it shows. */
  route: string;
  /** Path of the page, `:id` for a parameter. */
  path: string;
  show(asked: Asked): Promise<Shown>;
  /** For people, where the operation failed; the usual failure page without it. */
  failed?(asked: Asked, error: BoardError): string;
}

/** The note of an answer, if there is one. */
export function noteOf({ meta }: Success): string | null {
  return typeof meta["note"] === "string" ? meta["note"] : null;
}
