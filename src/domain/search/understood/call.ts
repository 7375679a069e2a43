import type { Advice } from "../../../failures.ts";
import { type SearchQuery, textOfBound } from "../../../schema/query.ts";

/** Arguments of a call as JSON: numbers as numbers, lists by comma. */
type Arguments = Record<string, string | number | boolean>;

/**
 * What a caller sent, as the arguments of a call that asks the same again: every filter is kept. `cursor` is left out, since
 * it belongs to a call with these filters only.
 */
export function argumentsOf(query: Partial<SearchQuery>): Arguments {
  const { near, after, before, limit, cursor: _cursor, ...others } = query;
  const plain = Object.entries({
    ...others,
    near: near && (near.place?.label ?? `${near.lat},${near.lng}`),
    after: after && textOfBound(after),
    before: before && textOfBound(before),
    limit: limit === DEFAULT_LIMIT ? undefined : limit,
  });
  return Object.fromEntries(
    plain.flatMap(([name, value]) => {
      if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return [];
      return [[name, Array.isArray(value) ? value.join(",") : (value as string | number | boolean)]];
    }),
  );
}

const DEFAULT_LIMIT = 20;

/** A sentence around the call that searches, in the words of each surface. */
export function adviceToSearch(sent: Arguments, sentence: (call: string) => string): Advice {
  const parameters = new URLSearchParams(
    Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const call = sentence(`search ${JSON.stringify(sent)}`);
  return { rest: sentence(`GET /api/v1/search?${parameters}`), tools: call, reading: call };
}
