import type { z } from "zod";
import { BoardInfo, Metrics, Readiness } from "../../schema/board.ts";
import { FailureMeta, Issue, Meta } from "../../schema/envelope.ts";
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
import type { JsonObject } from "./fields.ts";

/** The schemas with a name in the document, by what callers send and what the board answers. */
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

/** `components.schemas`, by name. */
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

/** A schema as the document prints it: references to the named parts, the rest in full. */
export function documentSchema(schema: z.ZodType, side: Side): JsonObject {
  const { $defs: _named, ...form } = referring(openSchemaOf(schema, side, NAMES[side]));
  return form;
}

const referring = (schema: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
