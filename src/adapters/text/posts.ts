import { isOver } from "../../domain/posts/expiry.ts";
import { DATES_NAMED, type Post } from "../../schema/post.ts";
import { counted } from "../../schema/text.ts";
import { excerptOf } from "./excerpt.ts";
import { quotedBlock, quotedLine, visibleLine, visibleValue, wordOrQuoted } from "./untrusted.ts";
import { laterDaysOf, whenOf } from "./when.ts";

export interface PostDisplay {
  /** These are stems of the words searched for; excerpts are cut around them. */
  sought: readonly string[];
  /** The time is in epoch milliseconds; posts that expired earlier are marked. */
  now: number;
  isWhole: boolean;
  /** Whole posts show their addresses, dates and metadata. */
  links: boolean;
  /** True in a list by the time of writing: a post with a start then tells when it was written too. */
  isNewest?: boolean;
  /** True where nothing serves the pages of posts: they are left out of the links. */
  noPages?: boolean;
}

/** Longer metadata, measured as JSON, is left to the data. */
const METADATA_CHARS = 1_000;
/** A longer link is left to `get_post`: part of one would be useless. */
const LINK_CHARS = 200;
const TAGS_SHOWN = 3;
const DATES_SHOWN = 2;

/** Shows a post of a list, or a single one. */
export const shownPost = (post: Post, mark: string, view: PostDisplay): string =>
  view.isWhole ? wholeText(post, mark, view) : briefText(post, mark, view);

/** Shows a post in one line. */
export function mentionedPost(post: Post, mark: string): string {
  return `${mark}${headOf(post)} ${quotedLine(post.title)}`;
}

/** Estimates how many tokens a text takes: one for three and a half bytes of UTF-8. */
const estimatedTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3.5);

/** Tells how many of the first texts take at most this many tokens; the first one is always among them. */
export function fittingCount(texts: readonly string[], tokens: number): number {
  let left = tokens;
  const over = texts.findIndex((text, i) => {
    left -= estimatedTokens(text);
    return left < 0 && i > 0;
  });
  return over === -1 ? texts.length : over;
}

/** Shows title, place, publisher and link whole, whatever their length. */
function briefText(post: Post, mark: string, { now, sought, isNewest }: PostDisplay): string {
  const indent = " ".repeat(mark.length);
  const facts = [
    whenOf(post, "brief"),
    isNewest === true && post.starts_at !== null ? `written ${post.created_at.slice(0, 10)}` : "",
    placeOf(post),
    byLine(post, "✓"),
    ...warningsOf(post, now, "brief"),
    linkOf(post.link),
    tagsOf(post.tags, TAGS_SHOWN),
  ];
  return [
    mentionedPost(post, mark),
    indent + facts.filter((fact) => fact !== "").join(" | "),
    quotedBlock(excerptOf(post.body, sought), indent),
  ].join("\n");
}

function linkOf(link: string | null): string {
  if (link === null) return "";
  const text = visibleLine(link);
  return text.length > LINK_CHARS ? "has a long link" : shownLink(text);
}

/** Shows a web address as it is; one with anything that could look like the board's own words in quotes. */
const shownLink = (link: string) =>
  /^https?:\/\/[\w.~:/?#@!$&()*+,;=%-]+$/.test(link) ? link : quotedLine(link);

const byLine = ({ publisher: { name, id, verified } }: Post, mark: string) =>
  `by ${quotedLine(name)}${verified ? ` ${mark}` : ""} ${id}`;

function wholeText(post: Post, mark: string, view: PostDisplay): string {
  const indent = " ".repeat(mark.length);
  const facts = [
    whenOf(post),
    placeOf(post),
    byLine(post, "✓ verified"),
    tagsOf(post.tags, post.tags.length),
    ...warningsOf(post, view.now, "whole"),
  ];
  return [
    mentionedPost(post, mark),
    indent + facts.filter((fact) => fact !== "").join(" | "),
    ...(view.links ? linksOf(post, view.noPages !== true).map((line) => indent + line) : []),
    quotedBlock(post.body, indent),
  ].join("\n");
}

function linksOf(post: Post, hasPage: boolean): string[] {
  const { lat, lng } = post.location ?? {};
  const metadata = JSON.stringify(visibleValue(post.metadata));
  return [
    `${hasPage ? `page ${post.url} | ` : ""}written ${post.created_at} | expires ${post.expires_at}`,
    ...(typeof lat === "number" ? [`at ${lat},${lng}`] : []),
    ...(post.link === null ? [] : [`link ${quotedLine(post.link)}`]),
    ...(post.source_url === null ? [] : [`source ${quotedLine(post.source_url)}`]),
    ...(metadata === "{}" || metadata.length > METADATA_CHARS ? [] : [`metadata ${visibleLine(metadata)}`]),
  ];
}

const headOf = (post: Post) => `\`${post.id}\` ${post.kind}`;

function placeOf({ location, distance_km }: Post): string {
  const name = location?.name ?? null;
  const place =
    name !== null && name !== ""
      ? quotedLine(name)
      : typeof location?.lat === "number"
        ? `${location.lat},${location.lng}`
        : "";
  return distance_km === undefined ? place : `${place} ${distance_km} km`.trim();
}

/** Shows the first tags; the rest are counted. */
function tagsOf(tags: readonly string[], most: number): string {
  const shown = tags.slice(0, most).map((tag) => `#${wordOrQuoted(tag)}`);
  return [...shown, ...(tags.length > most ? [`+${tags.length - most}`] : [])].join(" ");
}

/**
 * Tells what a reader should know before it relies on a post: relayed, answered, a reply, over, flagged. In brief a reply
 * does not name the post it answers: its id begins with it.
 */
function warningsOf(post: Post, now: number, form: "whole" | "brief"): string[] {
  return [
    ...(post.syndicated ? ["relayed"] : []),
    ...(post.copies === undefined ? [] : [copiesOf(post.copies, form)]),
    ...(post.also_on === undefined
      ? []
      : [`also on ${laterDaysOf(post, form === "brief" ? DATES_SHOWN : DATES_NAMED)}`]),
    ...(post.reply_count > 0 ? [counted(post.reply_count, "reply", "replies")] : []),
    ...(post.parent_id === null ? [] : [form === "brief" ? "reply" : `reply to \`${post.parent_id}\``]),
    ...(isExpired(post, now) ? ["EXPIRED"] : isOver(post, now) ? ["OVER"] : []),
    ...(post.flags.length > 0 ? [`⚠ flags: ${post.flags.join(", ")}`] : []),
  ];
}

/** Tells the copies of a post: in brief one id and the number of the rest, in full all ids that are known. */
function copiesOf({ count, ids }: NonNullable<Post["copies"]>, form: "whole" | "brief"): string {
  const first = form === "brief" ? ids.slice(0, 1) : ids;
  const rest = count - first.length;
  const named = first.map((id) => `\`${id}\``).join(" ");
  return `also ${named}${rest === 0 ? "" : ` +${rest}`}`;
}

const isExpired = (post: Post, now: number) => Date.parse(post.expires_at) <= now;
