/** Matches strings and marks of JSON; what stands between them does not matter here. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Parsers keep one of the values of a name that stands twice, and drop the other without a word. */
export const NAME_TWICE = "A name stands twice in one object. Send each name once; nothing was done.";

/**
 * Finds the first name that stands twice in one object of a JSON text, however it is escaped, or null.
 * @param json  a text that parses
 */
export function nameTwice(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  let last = "";
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1);
      const name: string = JSON.parse(last);
      if (names?.has(name) === true) return name;
      names?.add(name);
    } else last = token;
  }
  return null;
}
