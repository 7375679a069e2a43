import { z } from "zod";
import { parseUrl } from "../platform/parse-url.ts";
import { isOverADay, spanOfText, type TimeSpan } from "./time/iso-8601.ts";
import { zoneNamed, zonesMeant } from "./time/zones.ts";

/** Only fields that several schemas share stand here. Each gives its JSON form by `meta`, since its parsing is wider. */

/**
 * Reads a moment of ISO 8601 with an offset, `Z` or a zone in brackets, as epoch milliseconds. Days that do not exist
 * (February 30th) are refused.
 */
export const DateTime = z
  .string()
  .meta({ format: "date-time" })
  .transform((text, context) => {
    const span = spanWithin(text);
    if (span !== null && span.local === false) return span.from;
    if (span !== null && isOverADay(span))
      return refuseValue(
        context,
        text,
        "Covers several days: which day is it? Send a date, such as 2026-12-05.",
      );
    return refuseValue(
      context,
      text,
      span === null
        ? "Must be an ISO 8601 date-time with an offset, such as 2026-12-01T18:30:00+01:00, or a local one beside `timezone`."
        : "Needs an offset, as in 2026-12-01T18:30:00+01:00, or a `timezone` beside it, such as Europe/Berlin.",
    );
  });

/** A bound of a search takes any form of ISO 8601. A date, week, month or year covers all of it. */
export const Bound = z
  .string()
  .transform((text, context): TimeSpan => {
    const span = spanWithin(text);
    if (span !== null) return span;
    return refuseValue(
      context,
      text,
      /^[^/]+\/[^/]+$/.test(text) && text.length > 12
        ? "Must be one moment; send the two ends of an interval as `after` and `before`."
        : "Must be an ISO 8601 date (2026-12-01), month (2026-12) or date-time (2026-12-01T18:30:00Z); words such as “this weekend” belong in `q`.",
    );
  })
  .meta({ override: { type: "string" } });

/** Refuses what was sent, under a code of the board. @returns a value that zod throws away */
export function refuseValue(
  context: z.RefinementCtx,
  input: unknown,
  message: string,
  params: { code: string; failure?: string } = { code: "invalid_format" },
): never {
  context.addIssue({ code: "custom", params, input, message });
  return z.NEVER;
}

/** Years 1 to 9999 keep four digits in ISO 8601; anything else would not sort or parse elsewhere. */
function spanWithin(text: string): TimeSpan | null {
  const span = spanOfText(text);
  if (span === null || span.from < Date.parse("0001-01-01") || span.to >= Date.UTC(10_000, 0, 1)) return null;
  return span.zone !== undefined && zoneNamed(span.zone) === null ? null : span;
}

/** Answers give a moment as ISO 8601 in UTC. */
export const Timestamp = z.string().meta({ format: "date-time" });

export const Count = z.int().min(0);

/** Takes a boolean, or the strings `true` and `false` as query parameters carry them. */
export const Flag = z
  .union(
    [
      z.boolean(),
      z
        .string()
        .regex(/^\s*(true|false)\s*$/i)
        .transform((text) => /true/i.test(text)),
    ],
    {
      error: "Must be true or false.",
    },
  )
  .meta({ override: { type: "boolean" } });

/** Matches a decimal number as people write it: no hexadecimal, no `Infinity`, no empty text. */
const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*$/i;

/** Takes a number, or its decimal string as query parameters carry it. */
export function numeric(bounds: { min: number; max: number; integer?: boolean }) {
  const number = bounds.integer === true ? z.int() : z.number();
  const decimal = z.string().regex(DECIMAL, "Must be a number.").transform(Number);
  return z
    .union([z.number(), decimal], { error: "Must be a number." })
    .pipe(number.min(bounds.min).max(bounds.max))
    .meta({
      override: {
        type: bounds.integer === true ? "integer" : "number",
        minimum: bounds.min,
        maximum: bounds.max,
      },
    });
}

/** Gives the items of a text with commas between them, without empty ones. */
export function commaSeparated(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Reads a text of a JSON object or list, and leaves any other value as it is: models send objects as text. */
export function fromJsonText(sent: unknown): unknown {
  if (typeof sent !== "string" || !/^\s*[{[]/.test(sent)) return sent;
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

/** Takes comma-separated strings, or a JSON array of strings; items are trimmed, empty ones dropped. */
export const List = z
  .preprocess(
    fromJsonText,
    z.union([z.string(), z.array(z.string())], {
      error: "Must be a comma-separated string or a list of strings.",
    }),
  )
  .transform((sent) => [sent].flat().flatMap(commaSeparated))
  .meta({ override: { type: "string" } });

/** Takes an http or https URL without credentials, at most 1,000 characters; kept as sent except for surrounding blanks. */
export const HttpUrl = z
  .string()
  .meta({ format: "uri", maxLength: 1000 })
  .transform((sent, context): string => {
    const text = sent.trim();
    const reason = text.length > 1000 ? "Must be at most 1,000 characters." : urlProblem(text);
    if (reason === null) return text;
    return refuseValue(context, sent, reason, { code: "invalid_url", failure: "invalid_url" });
  });

function urlProblem(text: string): string | null {
  // `new URL` strips tabs and line feeds inside the text; a link that looks different from what it opens is refused.
  const url = /\s/.test(text) || !text.isWellFormed() ? null : parseUrl(text);
  if (url === null) return "Must be a complete URL, such as https://example.org/page.";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "Must start with http:// or https://.";
  if (url.username !== "" || url.password !== "") return "Must not carry credentials.";
  return null;
}

/** Tells what is wrong with the name of a zone. */
export function zoneProblem(sent: string): string {
  const meant = zonesMeant(sent);
  return meant.length === 0
    ? "Must be an IANA time zone, such as Europe/Berlin."
    : `Is an abbreviation, no IANA time zone: send ${OR.format(meant)}.`;
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });

/** Takes an IANA time zone that this runtime knows; other letter case and blanks around it are taken. */
export const TimeZone = z
  .string()
  .max(64)
  .transform((sent, context): string => {
    const zone = zoneNamed(sent);
    return zone ?? refuseValue(context, sent, zoneProblem(sent));
  })
  .meta({ override: { type: "string", maxLength: 64 } });

type PageOfIds = "p" | "publishers" | "subscriptions";

/**
 * Takes an id, or the address of its page. Anything that does not look like an id is passed on and answered as "not found",
 * like any unknown id.
 */
export const idOn = (page: PageOfIds) =>
  z
    .string()
    .transform((sent) => bareId(sent, page))
    .meta({ override: { type: "string" } });

/** Takes the id out of a page URL or a file name: `https://board/p/abc.md` → `abc`; anything else is returned trimmed. */
export function bareId(sent: string, page: PageOfIds): string {
  const text = sent.trim().slice(0, 2000);
  const fromUrl = new RegExp(`/${page}/([^/?#]+)`).exec(text)?.[1] ?? text;
  return fromUrl.replace(/(\.(json|md|ics))+$/, "");
}

/** Takes the secret of a webhook, in the form of Standard Webhooks. */
export const WebhookSecret = z
  .string()
  .refine(isWebhookSecret, "Must be `whsec_` and base64 of 24 to 64 bytes.");

function isWebhookSecret(text: string): boolean {
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, "base64");
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString("base64") === base64;
}
