import { readInputs } from "./inputs.ts";
import { computedTables } from "./tables.ts";

/** The page with the inputs, and the pages with tables that are computed from them. */
export const INPUT_PAGE = "docs/scaling.md";
export const COMPUTED_PAGES = [INPUT_PAGE, "docs/operating.md"];

const MARKED = /(<!-- computed: ([a-z ]+) -->\n)[\s\S]*?(<!-- \/computed -->)/g;

/**
 * A page with its tables computed anew.
 *
 * @param inputPage  the text of `INPUT_PAGE`
 * @throws Error for a mark of an unknown name, and for an input that is missing
 */
export function computed(page: string, inputPage: string): string {
  const tables = computedTables(readInputs(inputPage));
  return page.replace(MARKED, (_, open: string, name: string, close: string) => {
    const text = tables[name];
    if (text === undefined) throw new Error(`Nothing computes a table "${name}".`);
    return `${open}${text}\n${close}`;
  });
}
