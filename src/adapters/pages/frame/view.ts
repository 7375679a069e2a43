import type { z } from "zod";
import type { BoardError } from "../../../board/failures.ts";
import type { Site } from "../../../domain/site.ts";
import type { BoardInfo } from "../../../schema/board.ts";
import type { Success } from "../../calls/envelope.ts";
import type { Html } from "./html.ts";
import type { Language } from "./language.ts";
import { otherForms, page } from "./layout.ts";

export type BoardData = z.output<typeof BoardInfo>;

export interface Asked {
  site: Site;
  /** They come from the path, such as an id. */
  params: Readonly<Record<string, string>>;
  /** They come from the query, without empty values; repeated ones are joined by commas. */
  sent: Readonly<Record<string, string>>;
  /** The operation knows these of what was sent, and links carry no others. */
  query: Readonly<Record<string, string>>;
  /** Counts epoch milliseconds. */
  now: number;
  /** The visitor reads dates and numbers of HTML in this language. */
  language: Language;
  /**
   * Asks the operation at a GET route, such as `/posts/{id}`. The page was admitted already: asking costs no further call.
   * @throws BoardError  any failure of the operation
   */
  ask(route: string, input: Record<string, unknown>, options?: { searched?: boolean }): Promise<Success>;
}

/** Holds a page in two forms. The third, JSON, is the answer of its operation. */
interface Shown {
  html(): string;
  markdown(): string;
  /** Only a page that shows several operations has it. */
  json?: unknown;
  /** The cursor is opaque, and null on the last page of results. */
  nextCursor?: string | null;
}

/** A page has its path, its content, and the operation whose limits it counts against. */
export interface View {
  /** That operation has this GET route. */
  route: string;
  /** The page has this path, with `:id` for a parameter. */
  path: string;
  show(asked: Asked): Promise<Shown>;
  /** People see it in place of the usual failure page. */
  failed?(asked: Asked, error: BoardError): string;
}

/** Gives the note of an answer, if there is one. */
export function noteOf({ meta }: Success): string | null {
  return typeof meta["note"] === "string" ? meta["note"] : null;
}

/** `lead` also describes the page to search engines. */
interface Content {
  path: string;
  title: string;
  lead: string;
  main(): Html;
  markdown(): string;
  /** Programs get it. */
  data: unknown;
}

/** Makes a page that counts as a call of `GET /board`, and shows what that answers or the program itself knows. */
export const boardPage = (path: string, contentOf: (asked: Asked, board: BoardData) => Content): View => ({
  route: "/board",
  path,
  async show(asked) {
    const { data: board, meta } = await asked.ask("/board", {});
    const { data, main, markdown, ...content } = contentOf(asked, board as BoardData);
    const { title, lead: description, path: at } = content;
    return {
      html: () =>
        page({ title, description, path: at, site: asked.site, main: main(), links: otherForms(at) }),
      markdown,
      json: { ok: true, data, meta },
    };
  },
});
