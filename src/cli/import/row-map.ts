import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { BoardError } from "../../failures.ts";
import { PublisherInput } from "../../schema/publisher.ts";

/** How the rows of one source become posts: the default export of a module for `agent-board import --map MODULE`. */
export interface RowMap {
  /** A word for the source, the same at every import: the board keeps one relay publisher under each name. */
  name: string;
  /** The publisher that relays the posts. */
  relay: Pick<z.input<typeof PublisherInput>, "name" | "description" | "url">;
  /**
   * One row as a post, with the fields of `create_post`; the import checks them. Give each post an `idempotency_key`,
   * so that the next import adds only what is new.
   *
   * @param row  any JSON value
   * @throws Error that says in one line what is wrong with the row; the import refuses the row and goes on
   */
  toPost(row: unknown): unknown;
}

/** Rows that are posts already. */
export const POSTS: RowMap = {
  name: "posts",
  relay: { name: "Import", description: "Posts imported by the operator of this board." },
  toPost: (row) => row,
};

const Exported = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be a word in lower case"),
  relay: PublisherInput.pick({ name: true, description: true, url: true }),
  toPost: z.custom<RowMap["toPost"]>((value) => typeof value === "function", "must be a function"),
});

/**
 * @param path  of a JavaScript module, from the working directory
 * @throws Error in one line for the operator when there is none, or it exports no map
 */
export async function loadRowMap(path: string): Promise<RowMap> {
  const { default: exported } = await import(pathToFileURL(resolve(path)).href).catch((cause: Error) => {
    const why = existsSync(path) ? `cannot be loaded (${cause.message})` : "does not exist";
    throw new Error(`--map ${path} ${why}. ${HINT}`, { cause });
  });
  const { error } = Exported.safeParse(exported);
  if (error === undefined) return exported;
  const wrong = error.issues.map((issue) => `${["default", ...issue.path].join(".")}: ${issue.message}`);
  throw new Error(`--map ${path} exports no map (${wrong.join("; ")}). ${HINT}`);
}

const HINT =
  "Give the path of a JavaScript module, such as ./maps/events.js; docs/operating.md shows what it exports.";

/** @throws BoardError `invalid_request` for a row that the map refuses, whatever it threw */
export async function postOfRow(map: RowMap, row: unknown): Promise<Record<string, unknown>> {
  try {
    const post = await map.toPost(row);
    if (typeof post !== "object" || post === null || Array.isArray(post)) {
      throw new Error("must be a JSON object");
    }
    return post as Record<string, unknown>;
  } catch (cause) {
    if (cause instanceof BoardError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new BoardError("invalid_request", { issues: [{ path: "", code: "custom", message }], cause });
  }
}
