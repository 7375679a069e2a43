import { recordedCatalog } from "../recorded/catalog.ts";

export type Arguments = Record<string, unknown>;

/** A call that a text proposes. */
export interface Proposed {
  tool: string;
  args: Arguments;
}

const TOOLS = recordedCatalog().tools.map(({ name }) => name);

/** Calls such as `search {"q":"jazz"}`, and `create_post` with `id` "x" and `expires_at` "now". */
export function callsIn(text: string): Proposed[] {
  const literal = [...text.matchAll(new RegExp(`\\b(${TOOLS.join("|")}) (?=\\{)`, "g"))].map((match) => ({
    tool: match[1] ?? "",
    args: jsonAt(text, match.index + match[0].length),
  }));
  const named = [...text.matchAll(/`(\w+)` with ((?:`\w+` "[^"]+"(?: and )?)+)/g)].map(
    ([, tool = "", said = ""]) => ({
      tool,
      args: Object.fromEntries(
        [...said.matchAll(/`(\w+)` "([^"]+)"/g)].map(([, name, value]) => [name, value]),
      ),
    }),
  );
  return [...literal, ...named];
}

/** The JSON object that begins here. */
function jsonAt(text: string, from: number): Arguments {
  for (let to = text.indexOf("}", from); to !== -1; to = text.indexOf("}", to + 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1));
    } catch {}
  }
  throw new Error(`no call at ${text.slice(from, from + 80)}`);
}
