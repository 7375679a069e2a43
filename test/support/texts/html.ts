import { HtmlValidate, StaticConfigLoader } from "html-validate";
import type { TestBoard } from "../boards/board.ts";

/** What browsers send. */
export const BROWSER =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

/** A page as a browser gets it; redirects are not followed. */
export async function getPage(
  board: TestBoard,
  path: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  const response = await fetch(board.url + path, {
    headers: { accept: BROWSER, ...headers },
    redirect: "manual",
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What a form gets that sends these fields; redirects are not followed. */
export async function postForm(
  board: TestBoard,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Page> {
  const response = await fetch(board.url + path, {
    method: "POST",
    headers: { accept: BROWSER, ...headers },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Rules that are the same for all pages. A `StaticConfigLoader` would read the tables of all elements again for each. */
class FixedRules extends StaticConfigLoader {
  #resolved: ReturnType<StaticConfigLoader["getConfigFor"]> | undefined;

  override getConfigFor(page: string) {
    this.#resolved ??= super.getConfigFor(page);
    return this.#resolved;
  }
}

const validator = new HtmlValidate(
  new FixedRules({
    extends: ["html-validate:recommended"],
    rules: {
      // Authors decide the length of titles and texts, and where their lines end.
      "long-title": "off",
      // Lists may be named: ARIA allows it, and screen readers say it.
      "aria-label-misuse": ["error", { allowAnyNamable: true }],
      "no-trailing-whitespace": "off",
      // Style and script are files of the site itself, named by their hash.
      "require-sri": "off",
    },
  }),
);

/** The mistakes that html-validate finds in a page. */
export async function problemsOf(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId} ${message}`),
  );
}

/** The structured data of a page (JSON-LD). */
export function dataOf(html: string): Record<string, unknown>[] {
  return [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, data]) =>
    JSON.parse(data ?? ""),
  );
}
