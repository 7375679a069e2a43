import type { z } from "zod";
import { BoardInfo, Metrics } from "../../schema/board.ts";
import { FailureMeta, Issue, Meta } from "../../schema/envelope.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { Deleted, Post, PostInput, PostPatch, PostWithContext } from "../../schema/post.ts";
import { Publisher, PublisherInput, VerifyInstructions } from "../../schema/publisher.ts";
import { Readiness } from "../../schema/readiness.ts";
import { ReportInput, ReportReceipt } from "../../schema/report.ts";
import {
  NewSubscription,
  PendingMatch,
  StandingQuery,
  Subscription,
  SubscriptionInput,
} from "../../schema/subscription.ts";
import { type JsonObject, propertiesOf, requiredOf } from "./fields.ts";

/** The schemas with a name in the document; all others are written out in place. */
const NAMED: Readonly<Record<string, { schema: z.ZodType; io: "input" | "output" }>> = {
  BoardInfo: { schema: BoardInfo, io: "output" },
  Deleted: { schema: Deleted, io: "output" },
  FailureMeta: { schema: FailureMeta, io: "output" },
  Issue: { schema: Issue, io: "output" },
  Meta: { schema: Meta, io: "output" },
  Metrics: { schema: Metrics, io: "output" },
  NewSubscription: { schema: NewSubscription, io: "output" },
  PendingMatch: { schema: PendingMatch, io: "output" },
  Post: { schema: Post, io: "output" },
  PostInput: { schema: PostInput, io: "input" },
  PostPatch: { schema: PostPatch, io: "input" },
  PostWithContext: { schema: PostWithContext, io: "output" },
  Publisher: { schema: Publisher, io: "output" },
  PublisherInput: { schema: PublisherInput, io: "input" },
  Readiness: { schema: Readiness, io: "output" },
  ReportInput: { schema: ReportInput, io: "input" },
  ReportReceipt: { schema: ReportReceipt, io: "output" },
  StandingQuery: { schema: StandingQuery, io: "input" },
  Subscription: { schema: Subscription, io: "output" },
  SubscriptionInput: { schema: SubscriptionInput, io: "input" },
  VerifyInstructions: { schema: VerifyInstructions, io: "output" },
};

/** The named forms, those with most fields first, so that the closest match wins. */
const FORMS = Object.entries(NAMED)
  .map(([name, { schema, io }]) => ({ name, io, form: openForm(schema, io) }))
  .sort((a, b) => namesOf(b.form).length - namesOf(a.form).length || (a.name < b.name ? -1 : 1));

/** `components.schemas`, by name. */
export function componentSchemas(): JsonObject {
  return Object.fromEntries(
    FORMS.map(({ name, form, io }): [string, JsonObject] => [name, named(form, io, name)]).sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );
}

/** A schema as the document prints it: references to the named parts, the rest in full. */
export function documentSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  return named(openForm(schema, io), io, null);
}

/** Like `documentSchema`, but without the given fields: those travel in the path. */
export function documentSchemaWithout(schema: z.ZodObject, fields: readonly string[]): JsonObject {
  const form = openForm(schema, "input");
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(form)).filter(([name]) => !fields.includes(name)),
  );
  const required = requiredOf(form).filter((name) => !fields.includes(name));
  const { required: _all, ...rest } = form;
  return named({ ...rest, properties, ...(required.length === 0 ? {} : { required }) }, "input", null);
}

/**
 * The JSON Schema open to further fields: a later version of the board may add some, and clients generated from this
 * document must not break on them. Records over a fixed set of keys become plain objects.
 */
function openForm(schema: z.ZodType, io: "input" | "output"): JsonObject {
  return JSON.parse(JSON.stringify(jsonSchemaOf(schema, io)), (_key, value: unknown) => {
    if (!isJson(value)) return value;
    const { additionalProperties, propertyNames, ...rest } = value;
    const keys = (propertyNames as JsonObject | undefined)?.["enum"];
    if (Array.isArray(keys)) {
      return { ...rest, properties: Object.fromEntries(keys.map((name) => [name, additionalProperties])) };
    }
    return additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  }) as JsonObject;
}

/** Replaces every part that is, or extends, a named form; `self` keeps the form of that name written out. */
function named(json: JsonObject, io: "input" | "output", self: string | null): JsonObject {
  const match = FORMS.find(
    ({ name, form, io: side }) => name !== self && side === io && extendsForm(json, form),
  );
  if (match === undefined) {
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, inside(value, io)]));
  }
  const reference = { $ref: `#/components/schemas/${match.name}` };
  const added = Object.entries(propertiesOf(json)).filter(([key]) => !namesOf(match.form).includes(key));
  const description = json["description"] === undefined ? {} : { description: json["description"] };
  if (added.length === 0) return { ...reference, ...description };
  const required = requiredOf(json).filter((name) => !requiredOf(match.form).includes(name));
  const rest = {
    type: "object",
    properties: inside(Object.fromEntries(added), io),
    ...(required.length === 0 ? {} : { required }),
  };
  return { allOf: [reference, rest], ...description };
}

const inside = (value: unknown, io: "input" | "output"): unknown =>
  Array.isArray(value)
    ? value.map((item) => inside(item, io))
    : isJson(value)
      ? named(value, io, null)
      : value;

/** Whether `json` has every field of `form` unchanged, and requires the same ones. */
function extendsForm(json: JsonObject, form: JsonObject): boolean {
  const [has, wants] = [json["properties"], form["properties"]];
  if (json["type"] !== "object" || !isJson(has) || !isJson(wants) || Object.keys(wants).length < 2)
    return false;
  const sameFields = Object.entries(wants).every(
    ([name, field]) => name in has && stable(has[name]) === stable(field),
  );
  const wanted = requiredOf(form).filter((name) => name in wants);
  const required = requiredOf(json).filter((name) => name in wants);
  return sameFields && wanted.length === required.length;
}

function isJson(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function namesOf(form: JsonObject): string[] {
  return Object.keys(propertiesOf(form));
}

/** JSON with its keys sorted. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJson(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
