import type { Document } from "mongodb";
import { distanceKm } from "../../../src/search/ranking/distance.ts";
import { slipsBetween } from "../../../src/search/text/spelling.ts";

/**
 * Tells whether a document matches an operator of `$search` that the board uses. Words are compared in lower case, without
 * Lucene's analyzers, and nothing is weighed.
 * @throws Error for an operator or option it does not have, so that no mistake goes unnoticed
 */
export function matches(document: Document, operator: Document): boolean {
  const entries = Object.entries(operator);
  const [name = "", body] = entries[0] ?? [];
  if (entries.length !== 1) throw unknown(Object.keys(operator).join(", "));
  if (name === "compound") return matchesCompound(document, body);
  const { path, score: _weight, ...options } = body as Document;
  const values = [path].flat().flatMap((one) => valuesAt(document, one));
  const [known, test] = OPERATORS[name] ?? [];
  if (known === undefined || test === undefined) throw unknown(name);
  only(options, known);
  return values.some((value) => test(value, options));
}

/** The fields that an operator and an order read, and the types by which an index must have each. */
export function fieldsIn(operator: Document, sort: Document = {}): { path: string; types: string[] }[] {
  const sorted = Object.keys(sort).filter((path) => sort[path].$meta === undefined);
  return [
    ...Object.entries(operator).flatMap(([name, body]) => {
      if (name !== "compound")
        return [body.path].flat().map((path) => ({ path, types: INDEXED_AS[name] ?? [] }));
      const clauses = Object.values(body as Document)
        .filter(Array.isArray)
        .flat() as Document[];
      return clauses.flatMap((clause) => fieldsIn(clause));
    }),
    ...sorted.map((path) => ({ path, types: ["token", "date"] })),
  ];
}

const INDEXED_AS: Record<string, string[]> = {
  text: ["string"],
  phrase: ["string"],
  equals: ["token", "boolean"],
  in: ["token"],
  range: ["token", "date"],
  geoWithin: ["geo"],
};

/** The options of each operator, and whether it holds for a value. */
const OPERATORS: Record<string, [options: string[], test: (value: unknown, of: Document) => boolean]> = {
  text: [
    ["query", "fuzzy"],
    (text, { query, fuzzy }) =>
      wordsOf(text).some((word) =>
        fuzzy === undefined ? wordsOf(query).includes(word) : isNear(word, query, fuzzy),
      ),
  ],
  phrase: [
    ["query"],
    (text, { query }) =>
      [query].flat().some((one) => ` ${wordsOf(text).join(" ")} `.includes(` ${wordsOf(one).join(" ")} `)),
  ],
  equals: [["value"], (own, { value }) => plain(own) === plain(value)],
  in: [["value"], (own, { value }) => [value].flat().some((one) => plain(one) === plain(own))],
  range: [
    ["gt", "gte", "lt", "lte"],
    (own, bounds) => Object.entries(bounds).every(([bound, to]) => BOUNDS[bound]?.(plain(own), plain(to))),
  ],
  geoWithin: [
    ["circle"],
    (own, { circle }) => 1000 * distanceKm(pointOf(own), pointOf(circle.center)) <= circle.radius,
  ],
};

// biome-ignore lint/suspicious/noExplicitAny: numbers, or texts
const BOUNDS: Record<string, (own: any, to: any) => boolean> = {
  gt: (own, to) => own > to,
  gte: (own, to) => own >= to,
  lt: (own, to) => own < to,
  lte: (own, to) => own <= to,
};

function matchesCompound(document: Document, body: Document): boolean {
  only(body, ["must", "mustNot", "should", "filter", "minimumShouldMatch"]);
  const { must = [], mustNot = [], should = [], filter = [], minimumShouldMatch } = body;
  const count = (clauses: Document[]) => clauses.filter((clause) => matches(document, clause)).length;
  const required = [...must, ...filter];
  const least = minimumShouldMatch ?? (required.length > 0 ? 0 : 1);
  return count(required) === required.length && count(mustNot) === 0 && count(should) >= least;
}

/** The values at a dotted path; each element of an array is a value. */
function valuesAt(document: Document, path: string): unknown[] {
  const value = path
    .split(".")
    .reduce<unknown>((at, key) => (at as Document | null | undefined)?.[key], document);
  return value === undefined ? [] : [value].flat();
}

/** Whether a word begins alike and is at most `maxEdits` letters away. */
const isNear = (word: string, query: string, { maxEdits, prefixLength }: Document) =>
  word.slice(0, prefixLength) === query.slice(0, prefixLength) &&
  slipsBetween(word, query, maxEdits) <= maxEdits;

const wordsOf = (text: unknown): string[] =>
  String(text ?? "")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const plain = (value: unknown) => (value instanceof Date ? value.getTime() : value);

function pointOf(value: unknown): { lat: number; lng: number } {
  const [lng = 0, lat = 0] = (value as { coordinates: number[] }).coordinates;
  return { lat, lng };
}

function only(options: Document, known: readonly string[]): void {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw unknown(key);
}

const unknown = (what: string) =>
  Object.assign(new Error(`no operator or option is called ${what}`), { code: 8 });
