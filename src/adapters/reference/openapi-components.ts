import type { z } from "zod";
import { adviceOn, FAILURES, type FailureCode } from "../../board/failures.ts";
import { type Operation, OUTCOME_STATUS, takesIdempotencyKey } from "../../board/operation.ts";
import { failuresOf } from "../../board/operation-failures.ts";
import type { Site } from "../../domain/site.ts";
import { BoardInfo, Metrics, Readiness } from "../../schema/board.ts";
import { FailureMeta, failureOf, Issue, Meta, successOf } from "../../schema/envelope.ts";
import { openSchemaOf } from "../../schema/json-schema.ts";
import { Deleted, Post, PostInput, PostWithContext } from "../../schema/post.ts";
import { Publisher, PublisherInput, VerifyInstructions } from "../../schema/publisher.ts";
import { ReportInput, ReportReceipt } from "../../schema/report.ts";
import {
  NewSubscription,
  PendingMatch,
  StandingQuery,
  Subscription,
  SubscriptionInput,
} from "../../schema/subscription.ts";
import { grouped } from "../text/markdown.ts";
import type { JsonObject } from "./fields.ts";
import { recordedAnswer } from "./recorded-answers.ts";

/** The document names these schemas, by what callers send and what the board answers. */
const NAMED = {
  input: { PostInput, PublisherInput, ReportInput, StandingQuery, SubscriptionInput },
  output: {
    ...{ BoardInfo, Deleted, FailureMeta, Issue, Meta, Metrics, NewSubscription, PendingMatch, Post },
    ...{ PostWithContext, Publisher, Readiness, ReportReceipt, Subscription, VerifyInstructions },
  },
} as const;
type Side = keyof typeof NAMED;

const namesOf = (side: Side) =>
  new Map<z.ZodType, string>(Object.entries(NAMED[side]).map(([name, schema]) => [schema, name]));
const NAMES = { input: namesOf("input"), output: namesOf("output") };

/** Makes `components.schemas`, by name. */
export function componentSchemas(): JsonObject {
  const sides = Object.entries(NAMED) as [Side, Readonly<Record<string, z.ZodType>>][];
  return Object.fromEntries(
    sides
      .flatMap(([side, schemas]) =>
        Object.entries(schemas).map(([name, schema]): [string, unknown] => {
          const { $defs } = referring(openSchemaOf(schema, side, NAMES[side]));
          return [name, ($defs as JsonObject)[name]];
        }),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Prints a schema as the document has it: references to the named parts, the rest in full. */
export function documentSchema(schema: z.ZodType, side: Side): JsonObject {
  const { $defs: _named, ...form } = referring(openSchemaOf(schema, side, NAMES[side]));
  return form;
}

const referring = (schema: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));

const HEADERS = {
  RateLimit: 'What is left of each limit: `"search";r=119;t=60` (IETF draft 11).',
  "RateLimit-Policy": 'The limits that count this call: `"search";q=120;w=60`.',
  "Retry-After": "Whole seconds to wait before trying again.",
  Location: "Page of what was created, where it has one.",
  ETag: "Tag of what was asked for; send it back in `If-None-Match` and an unchanged answer is 304 without a body.",
  Link: 'The next page, `rel="next"`; the same as `next_cursor`.',
  "Idempotency-Replayed": "`true` when the idempotency key was used before and nothing was written.",
  "WWW-Authenticate": "The scheme to authenticate by.",
} as const;
type HeaderName = keyof typeof HEADERS;

/** Lists the answers of an operation: one per outcome, 304 for every GET, and one per status of its failures. */
export function answersOf(operation: Operation, site: Site): JsonObject {
  const { name, outcomes, rest, output, list = false } = operation;
  const schema = documentSchema(successOf(output, list), "output");
  const example = recordedAnswer(name, site)?.body;
  const content = { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
  const reads = rest.method === "GET";
  const successes = outcomes.map((outcome): [number, JsonObject] => {
    const replay = outcome === "ok" && takesIdempotencyKey(operation);
    const names: HeaderName[] = [
      "RateLimit",
      "RateLimit-Policy",
      ...(outcome === "created" ? (["Location"] as const) : []),
      ...(reads ? (["ETag"] as const) : []),
      ...(reads && list ? (["Link"] as const) : []),
      ...(replay || operation.repeatable === true ? (["Idempotency-Replayed"] as const) : []),
    ];
    const description = replay
      ? "Sent before with this idempotency key: what was written then, unchanged."
      : { ok: "Done.", created: "Created.", pending: "Taken, but not confirmed yet." }[outcome];
    return [OUTCOME_STATUS[outcome], { description, headers: headers(names), content }];
  });
  const failures = failureGroups(operation).map(({ status, name: shared }) => [
    status,
    { $ref: `#/components/responses/${shared}` },
  ]);
  return Object.fromEntries([...successes, ...(reads ? [[304, unchanged()]] : []), ...failures]);
}

/** Groups the failures of an operation by status. Operations that fail with the same codes share an answer, by its name. */
const failureGroups = (operation: Operation) =>
  [...grouped(failuresOf(operation), (code) => FAILURES[code].status)].map(([status, all]) => {
    const codes = all.toSorted();
    return { status, codes, name: codes.join("-") };
  });

/** Makes `components.responses`: each shared answer to a failure. */
export function failureResponses(operations: readonly Operation[]): JsonObject {
  const groups = new Map(operations.flatMap(failureGroups).map((group) => [group.name, group]));
  const sorted = [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(sorted.map((group) => [group.name, failureResponse(group)]));
}

function failureResponse({ status, codes }: ReturnType<typeof failureGroups>[number]): JsonObject {
  const names: HeaderName[] = [
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(status === 429 ? (["RateLimit", "RateLimit-Policy"] as const) : []),
    ...(status === 429 || status === 503 ? (["Retry-After"] as const) : []),
  ];
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  const schema = documentSchema(failureOf(codes), "output");
  return {
    description: codes.map((code) => `\`${code}\`: ${FAILURES[code].message}`).join("\n"),
    ...(names.length === 0 ? {} : { headers: headers(names) }),
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

/** Makes `components.examples`: an error body per code. */
export const failureExamples = (operations: readonly Operation[], site: Site): JsonObject =>
  Object.fromEntries(
    [...new Set(operations.flatMap(failuresOf))]
      .sort()
      .map((code) => [code, { value: failureExample(code, site) }]),
  );

/** Writes the error envelope of a failure, with the words of the table. */
function failureExample(code: FailureCode, { manual, mcp }: Site): z.infer<ReturnType<typeof failureOf>> {
  const { message, hint } = FAILURES[code];
  const error = { code, message, hint: adviceOn("rest", hint), issues: [] };
  return { ok: false, error, meta: { docs: manual, mcp } };
}

/** Answers a GET whose tag is still current. */
export const unchanged = (): JsonObject => ({
  description: "Unchanged since the ETag you sent.",
  headers: headers(["ETag"]),
});

export const headers = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Makes `components.headers`. */
export function componentHeaders(): JsonObject {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [
      name,
      { description, schema: { type: name === "Retry-After" ? "integer" : "string" } },
    ]),
  );
}
