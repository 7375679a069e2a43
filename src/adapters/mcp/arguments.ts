import { BoardError } from "../../failures.ts";
import { objectBehind, unknownFieldIssue, unknownFields } from "../calls/input.ts";
import { operationAsked, type ServedOperation, type ServedTool } from "./tool-list.ts";

/** Arguments as the board understands them. */
export interface Understood {
  served: ServedOperation;
  /** Under the names of the operation. */
  input: Record<string, unknown>;
  /** From the argument `api_key`, or null. */
  apiKey: string | null;
  detail: unknown;
  /** What was read otherwise than it was sent. */
  notes: string[];
}

/** Names that can only mean one field, where the tool has it and no field of this name. */
const ALIASES = [
  ["query", "q"],
  ["subscription_id", "id"],
  ["post_id", "id"],
  ["id", "post_id"],
  ["link", "url"],
] as const;

/**
 * Reads arguments as models send them: null and "" for what they do not want, another name where only one can be meant,
 * the fields of an inner object beside it.
 */
export function understoodArguments(tool: ServedTool, sent: Record<string, unknown>): Understood {
  const { api_key: apiKey, detail, ...given } = withoutNothing(sent);
  const notes: string[] = [];
  for (const [alias, field] of ALIASES) {
    if (!(alias in given) || tool.fields.has(alias) || !tool.fields.has(field) || field in given) continue;
    given[field] = given[alias];
    delete given[alias];
    notes.push(`\`${alias}\` was read as \`${field}\`.`);
  }
  const served = operationAsked(tool, given);
  const input = gathered(served, given, notes);
  return { served, input, apiKey: typeof apiKey === "string" ? apiKey : null, detail, notes };
}

/**
 * What looks like a misspelt field of a post or a saved query must not be dropped: it would go live without it.
 * @throws BoardError `invalid_request`
 */
export function refuseMisspelt({ served: { operation }, input }: Understood): void {
  if (operation.effect !== "writes" || operation.auth !== "key") return;
  const misspelt = unknownFields(operation.input, input).filter(({ meant }) => meant !== null);
  if (misspelt.length === 0) return;
  throw new BoardError("invalid_request", {
    issues: misspelt.map(unknownFieldIssue),
    hint: "Nothing was written. Send it again with the fields named in the issues.",
  });
}

/** Where every argument must be sent, models fill in null or "" for those they do not want, inside objects too. */
function withoutNothing(sent: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(sent).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      isObject(value) && name !== "metadata" ? withoutNothing(value) : value,
    ]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The input with fields of an inner object, such as `query` or `location`, put into it when it was not sent itself. */
function gathered(
  { operation: { input: schema } }: ServedOperation,
  given: Record<string, unknown>,
  notes: string[],
): Record<string, unknown> {
  const fields: Record<string, unknown> = schema.shape;
  const strays = Object.keys(given).filter((key) => !Object.hasOwn(fields, key));
  for (const [name, field] of Object.entries(fields)) {
    const inner = name in given ? null : objectBehind(field as Parameters<typeof objectBehind>[0]);
    const own = inner === null ? [] : strays.filter((key) => Object.hasOwn(inner.shape, key));
    if (own.length === 0) continue;
    notes.push(`Read as fields of \`${name}\`: ${own.map((key) => `\`${key}\``).join(", ")}.`);
    const rest = Object.fromEntries(Object.entries(given).filter(([key]) => !own.includes(key)));
    return { ...rest, [name]: Object.fromEntries(own.map((key) => [key, given[key]])) };
  }
  return given;
}
