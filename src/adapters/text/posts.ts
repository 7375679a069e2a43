import type { Post } from "../../schema/post.ts";
import { excerptOf } from "./excerpt.ts";
import { headOf, placeOf, tagsOf, warningsOf } from "./facts.ts";
import { listedPosts } from "./listed-posts.ts";
import { quotedBlock, quotedLine, visibleLine, visibleValue } from "./untrusted.ts";
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
  /** True where nothing serves the pages of posts: they are left out of the links. */
  noPages?: boolean;
}

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

/** A post as text, and which of its body the text holds. */
export interface ShownPost {
  text: string;
  /** The whole body, or an excerpt. */
  body: string;
  isWhole: boolean;
}

/** The posts of a list, numbered. Those for which the budget of whole posts is not enough share the budget of a list. */
export function shownPosts(posts: readonly Post[], view: PostDisplay): ShownPost[] {
  const whole = posts.map((post) => view.budget?.take(post) === true);
  const brief = posts.flatMap((post, i) => (whole[i] === true ? [] : [{ post, mark: markAt(i) }]));
  const briefTexts = listedPosts(brief, view);
  return posts.map((post, i) => {
    if (whole[i] === true) return { text: wholeText(post, markAt(i), view), body: post.body, isWhole: true };
    return { text: briefTexts.shift() ?? "", body: excerptOf(post.body, view.sought), isWhole: false };
  });
}

const markAt = (i: number) => `${i + 1}. `;

/** A single post. */
export function shownPost(post: Post, view: PostDisplay): ShownPost {
  if (view.budget?.take(post) === true)
    return { text: wholeText(post, "", view), body: post.body, isWhole: true };
  const [text = ""] = listedPosts([{ post, mark: "" }], view);
  return { text, body: excerptOf(post.body, view.sought), isWhole: false };
}

/** @param mark  printed before the post: `3. ` in a list, empty for a single one */
function wholeText(post: Post, mark: string, view: PostDisplay): string {
  const indent = " ".repeat(mark.length);
  const { publisher } = post;
  const facts = [
    whenOf(post),
    placeOf(post, quotedLine),
    `by ${quotedLine(publisher.name)}${publisher.verified ? " ✓ verified" : ""} ${publisher.id}`,
    tagsOf(post.tags, post.tags.length),
    ...warningsOf(post, view.now, "whole"),
  ];
  return [
    `${mark}${headOf(post)} ${quotedLine(post.title)}`,
    indent + facts.filter((fact) => fact !== "").join(" | "),
    ...(view.links ? linksOf(post, view.noPages !== true).map((line) => indent + line) : []),
    quotedBlock(post.body, indent),
  ].join("\n");
}

/** A post in one line. */
export function mentionedPost(post: Post, mark: string): string {
  return `${mark}${headOf(post)} ${quotedLine(post.title)}`;
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
