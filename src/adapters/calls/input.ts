import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { refuseBoardKeys } from "../../domain/board-keys.ts";
import { BoardError, type FailureCode, type Issue } from "../../failures.ts";
import type { Operation } from "../../operation.ts";
import { withMoments } from "../../schema/time/local-time.ts";

/**
 * Parses the fields of a call by the operation's schema.
 *
 * @param source  decides the failure of refused input: `body` → `invalid_request`, `query` → `invalid_query`
 * @returns the parsed input, and a sentence for each field the operation does not have
 * @throws BoardError with every problem at once. A schema may name its own failure (`params.failure`); it is used when
 *   all problems name the same one. `contains_api_key` for a key in anything that would be written
 */
export function parseInput(
  operation: Operation,
  sent: Record<string, unknown>,
  source: "body" | "query",
): { input: z.output<z.ZodObject>; notes: string[] } {
  const { fields, note } = withMoments(sent);
  const parsed = operation.input.safeParse(fields, { reportInput: true });
  if (!parsed.success) {
    const { issues } = parsed.error;
    // A misspelt field is most often why another one is missing.
    const misspelt = unknownFields(operation.input, sent).filter(({ meant }) => meant !== null);
    throw new BoardError(failureOf(issues, source), {
      issues: [...issues.flatMap((issue) => issueOf(issue)), ...misspelt.map(unknownFieldIssue)],
    });
  }
  // The one guard over every text that is kept.
  if (operation.effect === "writes") refuseBoardKeys(parsed.data);
  const unknown = unknownFields(operation.input, sent).map(unknownFieldNote);
  return { input: parsed.data, notes: note === null ? unknown : [note, ...unknown] };
}

function failureOf(issues: readonly z.core.$ZodIssue[], source: "body" | "query"): FailureCode {
  const named = new Set(issues.map((issue) => paramsOf(issue)["failure"]));
  const [only] = named;
  if (named.size === 1 && typeof only === "string") return only as FailureCode;
  return source === "body" ? "invalid_request" : "invalid_query";
}

function paramsOf(issue: z.core.$ZodIssue): Record<string, unknown> {
  return issue.code === "custom" ? (issue.params ?? {}) : {};
}

function issueOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String).join(".");
  const code = String(paramsOf(issue)["code"] ?? issue.code);
  // For a missing field zod says "expected string, received undefined".
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, code: missing ? "required" : code, message: missing ? "Required." : issue.message }];
}

/** A field that was sent and that the operation does not have. */
interface UnknownField {
  /** Dotted, and safe for an agent to read: the caller may have copied it from a post. */
  path: string;
  /** The field that was probably meant, or null. */
  meant: string | null;
}

/** The unknown fields at the top and inside `location` and `query`. At most five. */
export function unknownFields(schema: z.ZodObject, sent: Record<string, unknown>, path = ""): UnknownField[] {
  const known = Object.keys(schema.shape);
  const unknown: UnknownField[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const field: unknown = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    if (field === undefined) {
      unknown.push({ path: printable(path + key), meant: meantBy(key, known) });
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const inner = objectBehind(field as z.ZodType);
      if (inner !== null)
        unknown.push(...unknownFields(inner, value as Record<string, unknown>, `${path}${key}.`));
    }
    if (unknown.length >= 5) break;
  }
  return unknown.slice(0, 5);
}

function unknownFieldNote({ path, meant }: UnknownField): string {
  return `\`${path}\` is not a parameter${meant === null ? " and was ignored." : `; did you mean \`${meant}\`? It was ignored.`}`;
}

export function unknownFieldIssue({ path, meant }: UnknownField): Issue {
  const message = meant === null ? "Is not a parameter." : `Is not a parameter; did you mean \`${meant}\`?`;
  return { path, code: "unknown_field", message };
}

/** Fields that callers know by another name: a post's `url` is called `link` when it is read. */
const OTHER_WORDS: readonly (readonly [word: string, field: string])[] = [
  ["link", "url"],
  ["query", "q"],
  ["start", "starts_at"],
  ["begin", "starts_at"],
  ["start_time", "starts_at"],
  ["start_date", "starts_at"],
  ["date", "starts_at"],
  ["end", "ends_at"],
  ["end_time", "ends_at"],
  ["end_date", "ends_at"],
  ["expiry", "expires_at"],
  ["expires", "expires_at"],
  ["place", "location"],
  ["venue", "location"],
  ["city", "location"],
  ["address", "location"],
  ["location", "near"],
  ["place", "near"],
  ["city", "near"],
  ["address", "near"],
  ["lat", "near"],
  ["lng", "near"],
  ["lon", "near"],
  ["latitude", "near"],
  ["longitude", "near"],
  ["from", "after"],
  ["since", "after"],
  ["start_date", "after"],
  ["date", "after"],
  ["to", "before"],
  ["until", "before"],
  ["end_date", "before"],
  ["keywords", "q"],
  ["keyword", "q"],
  ["text", "q"],
  ["search", "q"],
  ["page", "cursor"],
  ["offset", "cursor"],
  ["location_name", "location"],
  ["description", "body"],
  ["text", "body"],
  ["content", "body"],
  ["message", "body"],
  ["subject", "title"],
  ["headline", "title"],
  ["category", "kind"],
  ["type", "kind"],
  ["reply_to", "parent_id"],
  ["in_reply_to", "parent_id"],
  ["thread_id", "parent_id"],
];

function meantBy(key: string, known: readonly string[]): string | null {
  const other = OTHER_WORDS.find(([word, field]) => word === key && known.includes(field));
  if (other !== undefined) return other[1];
  if (known.length === 0 || key.length > 40) return null;
  const nearest = closest(key, known);
  return distance(key, nearest) <= Math.max(2, Math.floor(key.length / 3)) ? nearest : null;
}

/** A field name, made safe for an agent to read: the caller may have copied it from a post. */
const printable = (name: string) => name.replace(/[^\w.-]/g, "?").slice(0, 40);

/** The object that a field takes, whatever else it understands; null for any other field. */
export function objectBehind(field: z.ZodType): z.ZodObject | null {
  let schema: unknown = field;
  for (;;) {
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) schema = schema.unwrap();
    else if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) schema = schema.out;
    else break;
  }
  return schema instanceof z.ZodObject ? schema : null;
}
