import type { Post } from "../../schema/post.ts";
import { excerptOf } from "./excerpt.ts";
import { quotedBlock, quotedLine, visibleLine, visibleValue, wordOrQuoted } from "./untrusted.ts";
import { whenOf } from "./when.ts";

/** How the posts of one answer are shown. */
export interface PostDisplay {
  /** Stems of the words searched for; excerpts are cut around them. */
  sought: readonly string[];
  /** Epoch milliseconds; posts that expired earlier are marked. */
  now: number;
  /** What is left for whole posts in this answer; null shows excerpts only. */
  budget: TextBudget | null;
  /** Whether whole posts show their addresses, dates and metadata. */
  links: boolean;
}

/** Tags shown in a line; the rest are counted. */
const TAGS_SHOWN = 6;
/** Longer metadata, measured as JSON, is left to the data. */
const METADATA_CHARS = 1_000;

/**
 * Hosts cut or refuse long results (some at 25,000 tokens), so an answer has a budget for whole posts; once it is spent,
 * excerpts follow.
 */
export class TextBudget {
  #left: number;
  /** Whether a post had to be cut. */
  spent = false;

  /** @param chars  enough for the largest post: body, addresses and metadata */
  constructor(chars = 40_000) {
    this.#left = chars;
  }

  /** Spends what a post costs; false when too little is left. */
  take({ body, link, source_url, metadata }: Post): boolean {
    const size = [body, link, source_url, JSON.stringify(metadata)].join("").length;
    if (size > this.#left) this.spent = true;
    else this.#left -= size;
    return !this.spent;
  }
}

/** A post as text and as data; both carry the same body or excerpt. */
export interface ShownPost {
  text: string;
  data: Record<string, unknown>;
}

/** @param mark  printed before the post: `3. ` in a list, empty for a single one */
export function shownPost(post: Post, mark: string, view: PostDisplay): ShownPost {
  const whole = view.budget?.take(post) === true;
  const indent = " ".repeat(mark.length);
  const body = whole ? post.body : excerptOf(post.body, view.sought);
  return {
    text: [
      mark + headOf(post),
      indent + factsOf(post, view.now),
      ...(whole && view.links ? linksOf(post).map((line) => indent + line) : []),
      quotedBlock(body, indent),
    ].join("\n"),
    data: whole ? wholeData(post) : briefData(post, body, view.now),
  };
}

/** A post in one line. */
export function mentionedPost(post: Post, mark: string): ShownPost {
  const { id, url, kind, title } = post;
  return { text: mark + headOf(post), data: { id, url, kind, title: visibleLine(title) } };
}

const headOf = (post: Post) => `\`${post.id}\` ${post.kind} ${quotedLine(post.title)}`;

/** What else helps to choose, in one line: when, where, who, tags, replies, warnings. */
function factsOf(post: Post, now: number): string {
  const { publisher } = post;
  return [
    whenOf(post),
    placeOf(post),
    `by ${quotedLine(publisher.name)}${publisher.verified ? " ✓ verified" : ""}`,
    ...(post.syndicated ? ["relayed"] : []),
    tagsOf(post.tags),
    ...(post.reply_count > 0 ? [`${post.reply_count} ${post.reply_count === 1 ? "reply" : "replies"}`] : []),
    ...(post.parent_id === null ? [] : [`reply to \`${post.parent_id}\``]),
    ...(isExpired(post, now) ? ["EXPIRED"] : []),
    ...(post.flags.length > 0 ? [`⚠ flags: ${post.flags.join(", ")}`] : []),
  ]
    .filter((fact) => fact !== "")
    .join(" | ");
}

const isExpired = (post: Post, now: number) => Date.parse(post.expires_at) <= now;

function tagsOf(tags: readonly string[]): string {
  const shown = tags.slice(0, TAGS_SHOWN).map((tag) => `#${wordOrQuoted(tag)}`);
  return [...shown, ...(tags.length > TAGS_SHOWN ? [`+${tags.length - TAGS_SHOWN}`] : [])].join(" ");
}

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

function linksOf(post: Post): string[] {
  const { lat, lng } = post.location ?? {};
  const metadata = JSON.stringify(visibleValue(post.metadata));
  return [
    `page ${post.url} | written ${post.created_at} | expires ${post.expires_at} | publisher ${post.publisher.id}`,
    ...(typeof lat === "number" ? [`at ${lat},${lng}`] : []),
    ...(post.link === null ? [] : [`link ${quotedLine(post.link)}`]),
    ...(post.source_url === null ? [] : [`source ${quotedLine(post.source_url)}`]),
    ...(metadata === "{}" || metadata.length > METADATA_CHARS ? [] : [`metadata ${visibleLine(metadata)}`]),
  ];
}

/** Not needed to choose between posts; `get_post` has them. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "link source_url metadata retrievals expires_at updated_at thread_url last_reply_at".split(" "),
);

/** The fields a model chooses by, under the names of the API. An expiry matters only once it has passed. */
function briefData(post: Post, body: string, now: number): Record<string, unknown> {
  const { id, name, verified } = post.publisher;
  return withoutEmpty({
    ...Object.fromEntries(Object.entries(post).filter(([field]) => !LEFT_OUT.has(field))),
    ...(isExpired(post, now) ? { expires_at: post.expires_at } : {}),
    title: visibleLine(post.title),
    body,
    publisher: { id, name, verified },
  });
}

function wholeData(post: Post): Record<string, unknown> {
  const { id, name, verified, url, domain, crier_url } = post.publisher;
  return withoutEmpty({
    ...post,
    title: visibleLine(post.title),
    publisher: { id, name, verified, url, domain, crier_url },
  });
}

/** Counts whose zero says nothing. A distance of 0 km says much. */
const COUNTS: ReadonlySet<string> = new Set(["reply_count", "retrievals"]);

/** Drops null and everything empty: no tags, no flags, no replies, not relayed, no metadata. */
function withoutEmpty(post: Record<string, unknown>): Record<string, unknown> {
  const shown = visibleValue(post) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([field, value]) =>
        value !== false &&
        !(value === 0 && COUNTS.has(field)) &&
        !(typeof value === "object" && Object.keys(value ?? {}).length === 0),
    ),
  );
}
