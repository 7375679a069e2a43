import type { Document } from "mongodb";
import { slipsBetween } from "../../../src/search/text/spelling.ts";

/**
 * Scores a document by the operators of `$search` that the board uses: 0 when it does not match. Words are compared in
 * lower case and scored by their number, without Lucene's analyzers or BM25.
 * @throws Error for an operator or option it does not have, so that no mistake goes unnoticed
 */
export function scoreOf(document: Document, operator: Document): number {
  const entries = Object.entries(operator);
  const [name, body] = entries[0] ?? [];
  if (entries.length !== 1 || name === undefined) throw unknown(Object.keys(operator).join(", "));
  const { path, score, ...rest } = body as Document;
  const boost = Number(score?.boost?.value ?? 1);
  const values = [path].flat().flatMap((one) => (one === undefined ? [] : valuesAt(document, one)));
  switch (name) {
    case "compound":
      return compound(document, body);
    case "text":
      only(rest, ["query", "fuzzy"]);
      if (rest["fuzzy"] !== undefined)
        return sum(values, (text) => countNear(text, rest["query"], rest["fuzzy"]));
      return (
        boost *
        sum(values, (text) =>
          countOf(
            text,
            wordsOf(rest["query"]).map((word) => [word]),
          ),
        )
      );
    case "phrase":
      only(rest, ["query"]);
      return boost * sum(values, (text) => countOf(text, [rest["query"]].flat().map(wordsOf)));
    case "equals":
      only(rest, ["value"]);
      return values.some((value) => same(value, rest["value"])) ? 1 : 0;
    case "in":
      only(rest, ["value"]);
      return values.some((value) => isOneOf(value, rest["value"])) ? boost : 0;
    case "range":
      only(rest, ["gt", "gte", "lt", "lte"]);
      return values.some((value) => inRange(value, rest)) ? 1 : 0;
    case "geoWithin":
      only(rest, ["circle"]);
      return values.some((value) => metres(value, rest["circle"].center) <= rest["circle"].radius) ? 1 : 0;
    default:
      throw unknown(name);
  }
}

function compound(document: Document, body: Document): number {
  only(body, ["must", "mustNot", "should", "filter", "minimumShouldMatch"]);
  const scores = (clauses: Document[] = []) => clauses.map((clause) => scoreOf(document, clause));
  if (scores(body["filter"]).includes(0) || scores(body["mustNot"]).some((score) => score > 0)) return 0;
  const must = scores(body["must"]);
  const should = scores(body["should"]);
  const least = body["minimumShouldMatch"] ?? (must.length + (body["filter"]?.length ?? 0) > 0 ? 0 : 1);
  if (must.includes(0) || should.filter((score) => score > 0).length < least) return 0;
  // Filters alone also match documents, all with the same score.
  return [...must, ...should].reduce((a, b) => a + b, 0) || Number.MIN_VALUE;
}

/** The values at a dotted path; each element of an array is a value. */
function valuesAt(document: Document, path: string): unknown[] {
  const value = path
    .split(".")
    .reduce<unknown>((at, key) => (at as Document | null | undefined)?.[key], document);
  return value === undefined ? [] : [value].flat();
}

/** How often phrases occur in a text, divided by the square root of its number of words. */
function countOf(text: unknown, phrases: readonly (readonly string[])[]): number {
  const words = wordsOf(text);
  let count = 0;
  for (const phrase of phrases) {
    for (let at = 0; phrase.length > 0 && at + phrase.length <= words.length; at += 1) {
      if (phrase.every((word, i) => words[at + i] === word)) count += 1;
    }
  }
  return count === 0 ? 0 : count / Math.sqrt(words.length);
}

/** Words that begin alike and are at most `maxEdits` letters away. */
function countNear(text: unknown, query: string, { maxEdits, prefixLength }: Document): number {
  const isNear = (word: string) =>
    word.slice(0, prefixLength) === query.slice(0, prefixLength) &&
    slipsBetween(word, query, maxEdits) <= maxEdits;
  return wordsOf(text).filter(isNear).length;
}

const wordsOf = (text: unknown): string[] =>
  String(text ?? "")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const sum = <T>(list: readonly T[], of: (item: T) => number) =>
  list.reduce((total, item) => total + of(item), 0);

const plain = (value: unknown) => (value instanceof Date ? value.getTime() : value);

const same = (a: unknown, b: unknown) => plain(a) === plain(b);

function inRange(value: unknown, { gt, gte, lt, lte }: Document): boolean {
  const own = plain(value) as number;
  return (
    (gt === undefined || own > (plain(gt) as number)) &&
    (gte === undefined || own >= (plain(gte) as number)) &&
    (lt === undefined || own < (plain(lt) as number)) &&
    (lte === undefined || own <= (plain(lte) as number))
  );
}

const EARTH_RADIUS_METRES = 6_378_137;

function metres(a: unknown, b: Document): number {
  const [[lng, lat], [lng2, lat2]] = [(a as Document)["coordinates"], b["coordinates"]] as [
    number[],
    number[],
  ];
  const radians = (degrees = 0) => (degrees * Math.PI) / 180;
  const half = (from = 0, to = 0) => Math.sin(radians(to - from) / 2) ** 2;
  const h = half(lat, lat2) + Math.cos(radians(lat)) * Math.cos(radians(lat2)) * half(lng, lng2);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}

function only(options: Document, known: readonly string[]): void {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw unknown(key);
}

const unknown = (what: string) =>
  Object.assign(new Error(`no operator or option is called ${what}`), { code: 8 });

/** The values of a list; long lists of ids are asked for each document of a collection. */
const sets = new WeakMap<object, Set<unknown>>();

function isOneOf(value: unknown, wanted: unknown): boolean {
  if (!Array.isArray(wanted)) return same(value, wanted);
  const set = sets.get(wanted) ?? new Set(wanted.map(plain));
  sets.set(wanted, set);
  return set.has(plain(value));
}
