import { recordedCatalog } from "../../../scripts/recorded/catalog.ts";

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
/** A call over REST that a text proposes, with the fields that it names. */
export interface ProposedRequest {
  method: string;
  /** Below `/api/v1`. */
  path: string;
  body: Arguments;
}

/** Calls such as `PATCH /posts/x`, `POST /posts` with `parent_id` "y", and `POST /publishers/recover {"id": "z"}`. */
export function requestsIn(text: string): ProposedRequest[] {
  const found = text.matchAll(
    /\b(GET|POST|PATCH|DELETE)((?: or DELETE)?) (?:\/api\/v1)?(\/[\w/{}?&=%.,+*~-]*[\w}])(?: with ((?:`\w+` "[^"]+"(?: and )?)+)| (?=\{"))?/g,
  );
  return [...found].flatMap((match) => {
    const [whole, method = "", second, path = "", said = ""] = match;
    const named = [...said.matchAll(/`(\w+)` "([^"]+)"/g)].map(([, name, value]) => [name, value]);
    const body = text.startsWith('{"', match.index + whole.length)
      ? jsonAt(text, match.index + whole.length)
      : Object.fromEntries(named);
    return [method, ...(second === "" ? [] : ["DELETE"])].map((each) => ({ method: each, path, body }));
  });
}
