import { z } from "zod";
import { type Advice, BoardError, type FailureCode, type Issue, type Surface } from "../../board/failures.ts";
import type { Operation } from "../../board/operation.ts";
import { refuseBoardKeys } from "../../domain/board-keys.ts";
import { withPlainPlace } from "../../schema/place.ts";
import { fromJsonText } from "../../schema/scalars.ts";
import { withMoments } from "../../schema/time/local-time.ts";
import { type Act, type ActingField, actingFields } from "./acting-fields.ts";
import { fieldMeant, kindMeant } from "./field-names.ts";

/**
 * Parses the fields of a call by the operation's schema.
 *
 * @param zone  that of local times, where neither `timezone` nor the place tells one
 * @param source  decides the failure of refused input: `body` → `invalid_request`, `query` → `invalid_query`
 * @returns the parsed input, and a sentence for each field the operation does not have
 * @throws BoardError with every problem at once; of a writing operation, a field is one too that it does not have and that would
 *   change who sees what, when, for how long, or whether anything happens. A schema may name its own failure (`params.failure`);
 *   it is used when all problems name the same one. `contains_api_key` for a key in anything that would be written
 */
export function parseInput(
  operation: Operation,
  asSent: Record<string, unknown>,
  source: "body" | "query",
  surface: Surface = "rest",
  zone: string | null = null,
): { input: z.output<z.ZodObject>; notes: Advice[] } {
  const sent = withPlainPlace(asSent);
  const { fields, note } = withMoments(sent, zone);
  const parsed = operation.input.safeParse(withFoldedChoices(operation.input, fields), { reportInput: true });
  const acting = operation.effect === "reads" ? [] : actingIn(operation, sent);
  const unknown = unknownFields(operation.input, sent);
  if (!parsed.success) {
    const { issues } = parsed.error;
    // A misspelt field is most often why another one is missing.
    const misspelt = unknown.filter(
      ({ path, meant }) => meant !== null && !acting.some((one) => one.path === path),
    );
    throw new BoardError(failureOf(issues, source), {
      issues: [
        ...issues.flatMap((issue) => issueOf(issue, source)),
        ...misspelt.map(unknownFieldIssue),
        ...acting.map((field) => actingIssue(operation, field)),
      ],
    });
  }
  refuseActing(operation, acting, unknown);
  refuseUnread(operation, unknown, surface);
  // No text is kept that did not pass here.
  if (operation.effect === "writes") refuseBoardKeys(parsed.data);
  const notes =
    operation.carriesPosts === true && operation.effect === "writes"
      ? notesOnUnread(unknown)
      : unknown.map(unknownFieldNote);
  return { input: parsed.data, notes: note === null ? notes : [note, ...notes] };
}

/** Without one of these a post would say something else than its writer means. */
const NEVER_WITHOUT: ReadonlySet<string | null> = new Set(
  "location lat lng starts_at ends_at timezone parent_id source_url".split(" "),
);

/**
 * Refuses what must not be written without one of its fields: over REST a post whose place, time, parent or source came under
 * another name, over MCP a post or a saved query with any field that seems misspelt.
 * @throws BoardError `invalid_request`
 */
function refuseUnread(operation: Operation, unknown: readonly UnknownField[], surface: Surface): void {
  const { auth, carriesPosts, effect } = operation;
  if (effect !== "writes" || (surface === "rest" ? carriesPosts !== true : auth !== "key")) return;
  const isLost = ({ path, meant }: UnknownField) =>
    meant !== null && (surface !== "rest" || NEVER_WITHOUT.has(meant) || path.startsWith("location."));
  const issues = unknown.filter(isLost).map(unknownFieldIssue);
  if (issues.length === 0) return;
  throw new BoardError("invalid_request", { issues, hint: RIGHT_NAMES });
}

/** Finds the acting fields among all that the operation does not have; the free form of `metadata` is the caller's own. */
export function actingIn(
  { input: schema }: Pick<Operation, "input">,
  sent: Record<string, unknown>,
): ActingField[] {
  const ofWatch = "query" in schema.shape;
  const criteria = new Set(Object.keys(ofWatch ? (objectBehind(schema.shape["query"])?.shape ?? {}) : {}));
  return Object.entries(sent).flatMap(([key, value]): ActingField[] => {
    if (!Object.hasOwn(schema.shape, key))
      return criteria.has(key)
        ? [{ path: key, act: "what is told" }]
        : actingFields(key, value, key, ofWatch);
    const inner = objectBehind(schema.shape[key]);
    const read = fromJsonText(value);
    if (inner === null || typeof read !== "object" || read === null) return [];
    const own = Object.entries(read).filter(([name]) => !Object.hasOwn(inner.shape, name));
    // Whatever else a query has would narrow it, but for what belongs to a page of results. A place may be in a state.
    return key === "query"
      ? own
          .filter(([name]) => !OF_PAGES.has(name))
          .map(([name]) => ({ path: `query.${name}`, act: "what is told" }))
      : own
          .filter(([name]) => name !== "state")
          .flatMap(([name, value]) => actingFields(name, value, `${key}.${name}`, ofWatch));
  });
}

const OF_PAGES: ReadonlySet<string> = new Set(["limit", "cursor", "sort", "detail", "api_key"]);

const REFUSALS: Readonly<Record<Act, string>> = {
  whether: "Nothing here is tried out, kept as a draft or held back: a call does at once what it says.",
  who: "Everything here is public: no post is private, hidden or for somebody alone.",
  when: "Nothing here is put off: a call does at once what it says.",
  "how long": "Nothing here ends by this field.",
  "what is told": "A saved query has no such field; all that it looks for stands in `query`.",
};

/** @throws BoardError `invalid_request` for fields that would do what the board does not do */
function refuseActing(
  operation: Operation,
  acting: readonly ActingField[],
  unknown: readonly UnknownField[],
): void {
  if (acting.length === 0) return;
  const misspelt = unknown.filter(
    ({ path, meant }) => meant !== null && !acting.some((one) => one.path === path),
  );
  const issues = acting.slice(0, UNKNOWN_MAX).map((field) => actingIssue(operation, field));
  const hasRightNames = issues.every(({ message }) => message.includes("did you mean"));
  const hint = operation.carriesPosts === true ? NOT_WRITTEN_POST : NOT_WRITTEN;
  throw new BoardError("invalid_request", {
    issues: [...issues, ...misspelt.map(unknownFieldIssue)],
    hint: hasRightNames ? RIGHT_NAMES : hint,
  });
}

const RIGHT_NAMES = "Nothing was written. Send it again with these fields under their right names.";
const NOT_WRITTEN =
  "Nothing was written. Leave these fields out and send it again, if what then happens at once is what is meant.";
const NOT_WRITTEN_POST = `Every post is public at once; there are no drafts, schedules or private messages. ${NOT_WRITTEN}`;

function actingIssue({ input: { shape } }: Operation, { path, act }: ActingField): Issue {
  const meant = path.includes(".") ? null : fieldMeant(path, new Set(Object.keys(shape)));
  if (meant !== null) return unknownFieldIssue({ path: printable(path), meant });
  const endsPosts = "expires_at" in shape && (act === "how long" || ("id" in shape && ENDING.test(path)));
  const how = "id" in shape ? '"now" ends' : "says when readers stop finding";
  const message = `Is not a parameter. ${REFUSALS[act]}${endsPosts ? ` \`expires_at\` ${how} a post.` : ""}`;
  return { path: printable(path), code: "unknown_field", message };
}

/** Models try to end a post of their own by these fields. */
const ENDING = /^(?:delet|remov|cancel|archiv|clos|withdr|status|state|active)/;

/** A rule of recurrence has these names. */
const SERIES = /^(recurrence|recurring|rrule|repeat|repeats|frequency)$/i;

/** Says which fields readers of a new post will not see, and what to do about it. */
function notesOnUnread(unknown: readonly UnknownField[]): Advice[] {
  const series = unknown.filter(({ path }) => SERIES.test(path));
  const misspelt = unknown.filter(({ path, meant }) => meant !== null && !SERIES.test(path));
  const others = unknown
    .filter((field) => !series.includes(field) && !misspelt.includes(field))
    .map(({ path }) => `\`${path}\``);
  const cure = `Readers do not see ${others.join(", ")}: put what matters into \`body\``;
  return [
    ...misspelt.map(unknownFieldNote),
    ...(series.length === 0
      ? []
      : [`\`${series[0]?.path}\` is not kept: one post is one date. Publish one post for each date.`]),
    ...(others.length === 0
      ? []
      : [
          {
            rest: `${cure} (PATCH /posts/{id}).`,
            tools: `${cure} (\`create_post\` with the \`id\` of this post and a new \`body\`).`,
          },
        ]),
  ];
}

/** Choices are written in lower case. Callers may use any letter case. */
function withFoldedChoices(schema: z.ZodObject, sent: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      const isChoice = typeof value === "string" && behind(field) instanceof z.ZodEnum;
      return [name, isChoice ? value.trim().toLowerCase() : value];
    }),
  );
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

function issueOf(issue: z.core.$ZodIssue, source: "body" | "query"): Issue[] {
  const whole = issue.path.map(String).join(".");
  // A list that comes as one text is named as a whole: `kind`, not `kind.0`.
  const path = source === "query" || whole.startsWith("query.") ? whole.replace(/\.\d+$/, "") : whole;
  const broken = issue.code === "invalid_union" ? "invalid_type" : issue.code;
  const code = String(paramsOf(issue)["code"] ?? broken);
  // For a missing field zod says "expected string, received undefined".
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, code: missing ? "required" : code, message: missing ? "Required." : sentenceOn(issue) }];
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** Tells which rule a value breaks, as a sentence of the board. */
function sentenceOn(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "never"
        ? issue.message
        : `Must be ${NOUNS[issue.expected] ?? issue.expected}.`;
    case "invalid_value": {
      const kind = issue.values.includes("offer") ? kindMeant(issue.input) : null;
      return `Must be ${inWords(issue.values.map(String))}${kind === null ? "" : `; this is called ${kind}`}.`;
    }
    case "too_big":
      return issue.message.startsWith("Too big")
        ? `Must be at most ${amountOf(issue.maximum, issue.origin)}.`
        : issue.message;
    case "too_small":
      return issue.message.startsWith("Too small")
        ? `Must be at least ${amountOf(issue.minimum, issue.origin)}.`
        : issue.message;
    default:
      return issue.message.startsWith("Invalid") ? "Has a form that is not understood." : issue.message;
  }
}

const UNITS: Readonly<Record<string, string>> = { string: " characters", array: " items" };
const amountOf = (bound: number | bigint, origin: string) =>
  `${bound.toLocaleString("en")}${UNITS[origin] ?? ""}`;

/** Writes `a, b or c`. */
const inWords = (values: readonly string[]) =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

/** An unknown field was sent, and the operation does not have it. */
interface UnknownField {
  /** The path is dotted, and safe for an agent to read: the caller may have copied it from a post. */
  path: string;
  /** This field was probably meant; null for none. */
  meant: string | null;
}

/** Lists the unknown fields at the top and inside `location` and `query`. It lists at most a hundred. */
export function unknownFields(schema: z.ZodObject, sent: Record<string, unknown>, path = ""): UnknownField[] {
  const known = new Set(Object.keys(schema.shape));
  const unknown: UnknownField[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const field: unknown = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    if (field === undefined) {
      unknown.push({ path: printable(path + key), meant: fieldMeant(key, known) });
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const inner = objectBehind(field);
      if (inner !== null)
        unknown.push(...unknownFields(inner, value as Record<string, unknown>, `${path}${key}.`));
    }
    if (unknown.length >= UNKNOWN_MAX) break;
  }
  return unknown.slice(0, UNKNOWN_MAX);
}

const UNKNOWN_MAX = 100;

function unknownFieldNote({ path, meant }: UnknownField): string {
  return `\`${path}\` is not a parameter${meant === null ? " and was ignored." : `; did you mean \`${meant}\`? It was ignored.`}`;
}

function unknownFieldIssue({ path, meant }: UnknownField): Issue {
  const message = meant === null ? "Is not a parameter." : `Is not a parameter; did you mean \`${meant}\`?`;
  return { path, code: "unknown_field", message };
}

/** Makes a field name safe for an agent to read. */
const printable = (name: string) => name.replace(/[^\w.-]/g, "?").slice(0, 40);

/** Finds the schema of a field that takes an object, whatever other forms it understands; null for any other field. */
export function objectBehind(field: unknown): z.ZodObject | null {
  const schema = behind(field);
  return schema instanceof z.ZodObject ? schema : null;
}

/** Finds the schema inside of others that also take no value, or change a value first. */
function behind(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return behind(schema.unwrap());
  return schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform ? behind(schema.out) : schema;
}
