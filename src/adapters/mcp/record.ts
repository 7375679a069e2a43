import { z } from "zod";
import type { Operation } from "../../board/operation.ts";
import type { Site } from "../../domain/site.ts";
import type { Post } from "../../schema/post.ts";
import type { Subscription } from "../../schema/subscription.ts";
import { quotedLine, visibleJson, visibleLine, wordOrQuoted } from "../text/untrusted.ts";
import { whenOf } from "../text/when.ts";
import type { ServedOperation } from "./tool-list.ts";

/**
 * Writes a record as lines of `name: value`, each with the description from the output schema. Nulls are left out; flat
 * objects and tables take one line.
 */
export function recordText(operation: Operation, data: Record<string, unknown>): string {
  const described = operation.output instanceof z.ZodObject ? operation.output.shape : {};
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const description = (described[name] as z.ZodType | undefined)?.description;
      return `${name}: ${valueText(value)}${description === undefined ? "" : ` (${description})`}`;
    })
    .join("\n");
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return tableText(value);
  if (typeof value !== "object" || value === null) return cellText(value);
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return members.length === 0
    ? "none"
    : members.map(([name, member]) => `${visibleLine(name)} ${cellText(member)}`).join(", ");
}

/** Writes `(tag, count) bike, 12; repair, 9`: the columns are named once, and rows of zeros left out. */
function tableText(rows: readonly unknown[]): string {
  const [first] = rows;
  if (first === undefined) return "none";
  if (typeof first !== "object" || first === null) return rows.map(cellText).join(", ");
  const columns = Object.keys(first);
  // Days on which nothing happened are left out.
  const telling = rows.filter((row) => !saysZero(Object.values(row as object)));
  const cells = telling.map((row) =>
    columns.map((column) => cellText((row as Record<string, unknown>)[column])),
  );
  return cells.length === 0
    ? "none"
    : `(${columns.join(", ")}) ${cells.map((row) => row.join(", ")).join("; ")}`;
}

function saysZero(cells: readonly unknown[]): boolean {
  const numbers = cells.filter((cell) => typeof cell === "number");
  return numbers.length > 0 && numbers.every((number) => number === 0);
}

function cellText(value: unknown): string {
  if (typeof value === "string") return wordOrQuoted(value);
  return typeof value === "object" ? visibleJson(value) : String(value);
}

/** Calls in the board's own words, with the key that the next call needs. */
export const withKey = (text: string): string =>
  text.replace(/\b(create_post|subscribe|check_subscription) \{("|\})/g, (_, tool, next) =>
    next === "}" ? `${tool} {${KEY}}` : `${tool} {${KEY},"`,
  );
const KEY = '"api_key":"<yours>"';

/** Tells what the writer of a post does not know yet: its id, page and expiry, and how the post was read. */
export function receiptLines(
  { served, now, site, sendsKey }: { served: ServedOperation; now: number; site: Site; sendsKey: boolean },
  post: Post,
  { replayed, unchanged }: { replayed?: boolean; unchanged?: boolean | undefined },
): string[] {
  const isNew = served.operation.outcomes.includes("created");
  const isOver = Date.parse(post.expires_at) <= now;
  const done = unchanged === true ? "Nothing was changed" : "Changed";
  const changed = isOver ? `${done}; the post has ended.` : `${done}.`;
  const published = replayed === true ? "Already published; nothing new was written." : "Published.";
  return [
    isNew ? published : changed,
    `id: ${post.id}`,
    site.isServed ? `url: ${post.url}` : `read it: get_post ${visibleJson({ id: post.id })}`,
    `expires_at: ${post.expires_at}`,
    readAs(post),
    ...(post.flags.length > 0 ? [`flags: ${post.flags.join(", ")}`] : []),
    ...(isNew
      ? [`Replies to it: ${sendsKey ? withKey("check_subscription {}") : "check_subscription {}"}`]
      : []),
  ];
}

/** Tells how a post was understood, so that its writer sees a wrong zone or place. */
function readAs(post: Post): string {
  const { lat, lng } = post.location ?? {};
  const facts = [
    post.parent_id === null ? post.kind : `reply to \`${post.parent_id}\` titled ${quotedLine(post.title)}`,
    ...(post.starts_at === null ? [] : [whenOf(post)]),
    ...(post.location?.name ? [quotedLine(post.location.name)] : []),
    ...(typeof lat === "number" ? [`at ${lat},${lng}`] : []),
  ];
  return `Read as: ${facts.join(", ")}.`;
}

/** Writes a saved query; what concerns its webhook only where it has one. */
export function subscriptionLines(
  { served, sendsKey }: { served: ServedOperation; sendsKey: boolean },
  saved: Subscription & { secret?: string },
  isNew: boolean,
): string[] {
  const { id, describes, webhook_url: webhook, webhook_verified: isVerified, secret, active } = saved;
  const consent = isVerified ? "verified" : "its owner has not answered the challenge: nothing is pushed yet";
  return [
    `${isNew ? "Saved" : served.operation.outcomes.includes("created") ? "Saved already" : "Changed"}: ${quotedLine(describes)}. Later posts only.`,
    `id: ${id}`,
    ...(webhook === null ? [] : [`webhook_url: ${quotedLine(webhook)} (${consent})`]),
    ...(webhook === null || secret === undefined
      ? []
      : [`secret: ${secret} (verifies pushes; shown once, so keep it)`]),
    (sendsKey ? withKey : String)(
      active
        ? `Next: check_subscription ${visibleJson({ id, wait_s: 30 })}`
        : `Paused: it matches nothing until: subscribe ${visibleJson({ id, active: true })}`,
    ),
  ];
}
