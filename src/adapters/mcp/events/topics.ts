import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Topic } from "../../../domain/events/index.ts";
import { CODES, DELIVERY_MODES } from "../../../domain/events/names.ts";
import { once } from "../../../platform/once.ts";
import { EVENTS, type EventName } from "../../../ports/store/index.ts";
import { jsonSchemaOf, openSchemaOf } from "../../../schema/json-schema.ts";
import { Kind, PostFlag } from "../../../schema/post.ts";
import { criteria } from "../../../schema/query.ts";
import { StandingQuery } from "../../../schema/subscription.ts";

const Payload = z.object({
  post_id: z.string().describe("`get_post` reads the whole post."),
  kind: Kind,
  title: z.string(),
  url: z.string(),
  starts_at: z.string().nullable(),
  ends_at: z.string().nullable(),
  place: z.string().nullable(),
  publisher: z.object({ id: z.string(), name: z.string(), verified: z.boolean() }),
  flags: z.array(PostFlag),
  parent_id: z.string().optional().describe("Of a reply: the post that it answers."),
  content_notice: z.string(),
});

// A saved search is matched, not ranked.
const { rerank: _, ...CRITERIA } = criteria;

/** Each event takes these arguments; any other name is refused, since a filter that is dropped would widen what is sent. */
const ARGUMENTS: Record<EventName, { fields: z.ZodRawShape; query: z.ZodType; description: string }> = {
  "post.replied": {
    fields: { thread: criteria.thread.describe("Replies in this thread only: the id of a post.") },
    query: z.object({ thread: criteria.thread }),
    description: "Somebody replied to a post of yours, or in the thread that you name.",
  },
  "post.matched": {
    fields: CRITERIA,
    query: StandingQuery,
    description:
      "A new post answers a saved search: by its words or its meaning, and by every filter. At least one criterion.",
  },
};

const described = once(() =>
  EVENTS.map((name) => ({
    name,
    description: ARGUMENTS[name].description,
    inputSchema: {
      ...jsonSchemaOf(z.object(ARGUMENTS[name].fields), "input"),
      additionalProperties: false,
    },
    payloadSchema: openSchemaOf(Payload, "output"),
  })),
);

/** Lists events for `events/list`. @param streams  whether this connection can carry a stream */
export const listedEvents = (streams: boolean) =>
  described().map((event) => ({
    ...event,
    delivery: DELIVERY_MODES.filter((mode) => streams || mode !== "push"),
  }));

const Named = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * Reads what a request subscribes to. Arguments are taken as they are: nothing in them is corrected, since the same ones
 * come with each refresh.
 * @throws ProtocolError for an event that the board does not have, or wrong arguments
 */
export function topicOf(params: unknown): Topic {
  const { name, arguments: sent } = parsed(Named, params);
  if (!isEvent(name))
    throw new ProtocolError(CODES.notFound, `No such event. This server has: ${EVENTS.join(", ")}.`, {
      kind: "event",
    });
  const args = sent ?? {};
  const { fields, query } = ARGUMENTS[name];
  const unknown = Object.keys(args).filter((field) => !Object.hasOwn(fields, field));
  if (unknown.length > 0) {
    const known = Object.keys(fields).join(", ");
    throw wrong(`\`arguments\` has fields that \`${name}\` does not take; it takes: ${known}.`);
  }
  return { event: name, arguments: args, query: parsed(query, args, "arguments") as StandingQuery };
}

const isEvent = (name: string): name is EventName => EVENTS.some((event) => event === name);

/** @throws ProtocolError that names each wrong field */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  within = "params",
): z.output<Schema> {
  const { data, error } = schema.safeParse(sent);
  if (error === undefined) return data as z.output<Schema>;
  const said = error.issues.map(({ path, message }) => `\`${[within, ...path].join(".")}\`: ${message}`);
  throw wrong(said.join(" "));
}

export const wrong = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
