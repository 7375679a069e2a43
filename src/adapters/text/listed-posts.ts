import type { Post } from "../../schema/post.ts";
import { excerptWithin } from "./excerpt.ts";
import { headOf, placeOf, tagsOf, warningsOf } from "./facts.ts";
import { cutToTokens, estimatedTokens } from "./tokens.ts";
import { quotedBlock, quotedLine, visibleLine } from "./untrusted.ts";
import { briefWhenOf } from "./when.ts";

/**
 * Tokens for ten posts or fewer, as `estimatedTokens` counts them. With the lines around them they then stay below 1,100
 * tokens in any language (`test/mcp/list-budget.test.ts`). A longer list has as much for each post.
 */
const TEN_POSTS_TOKENS = 782;
/** What a post takes at most of it, however few there are. */
const POST_TOKENS_MOST = 160;
/** What a part may take of a tenth of it. Titles and names of people and places mostly fit; the others are made to. */
const PART_TOKENS = { title: 22, place: 8, name: 8, link: 14, tags: 9, excerpt: 14 } as const;
/** What is left of a part where everything else is long too. */
const LEAST_TOKENS = { title: 6, place: 2, name: 2, excerpt: 2 } as const;
const TAGS_SHOWN = 3;

/** What a list shows its posts by. */
export interface ListDisplay {
  sought: readonly string[];
  /** Epoch milliseconds. */
  now: number;
}

interface Marked {
  post: Post;
  /** Printed before the post, such as `3. `. */
  mark: string;
}

/**
 * The posts of a list, two or three lines each: what they are, when, where and by whom, and an excerpt. All posts share one
 * budget of tokens: what short ones leave over goes to the excerpts of the others.
 */
export function listedPosts(posts: readonly Marked[], view: ListDisplay): string[] {
  const names = new NamedPublishers(posts.map(({ post }) => post));
  const tokens = Math.min(TEN_POSTS_TOKENS / Math.min(posts.length, 10), POST_TOKENS_MOST);
  const heads = posts.map((marked) => headLines(marked, tokens, view.now, names));
  const left = posts.length * tokens - sum(heads.map(estimatedTokens));
  const needs = posts.map(({ post }) => estimatedTokens(visibleLine(post.body)));
  const shares = fairShares(needs, Math.max(left, posts.length * LEAST_TOKENS.excerpt));
  return posts.map(({ post, mark }, i) => {
    const excerpt = excerptWithin(post.body, view.sought, shares[i] ?? 0);
    return `${heads[i]}\n${quotedBlock(excerpt, " ".repeat(mark.length))}`;
  });
}

function headLines({ post, mark }: Marked, tokens: number, now: number, publishers: NamedPublishers): string {
  const scale = tokens / (TEN_POSTS_TOKENS / 10);
  const head = `${mark}${headOf(post)} `;
  const when = briefWhenOf(post);
  const warnings = warningsOf(post, now, "brief");
  const frame = '\n   "" | "" 99 km | by "" |';
  let left = tokens - sum([head, when, ...warnings, frame].map(estimatedTokens)) - warnings.length;
  const spend = (text: string) => {
    left -= estimatedTokens(text);
    return text;
  };
  const least = sum(Object.values(LEAST_TOKENS));
  // With every warning there is, the id of the publisher has no room; `get_post` has it.
  const id = publishers.idFor(post);
  const who = [
    ...(post.publisher.verified ? ["✓"] : []),
    ...(estimatedTokens(id) + least > left ? [] : [id]),
  ];
  spend(who.join(" "));
  const quotedIn = (part: "title" | "place" | "name") => (text: string) => {
    const room = Math.min(PART_TOKENS[part] * scale, left - least + LEAST_TOKENS[part]);
    return spend(quotedLine(cutToTokens(visibleLine(text), Math.max(room, LEAST_TOKENS[part]))));
  };
  const title = quotedIn("title")(post.title);
  const place = placeOf(post, quotedIn("place"));
  const by = ["by", quotedIn("name")(post.publisher.name), ...who].filter((word) => word !== "").join(" ");
  left -= PART_TOKENS.excerpt * scale;
  const fits = (text: string, most: number) => estimatedTokens(text) <= Math.min(most * scale, left);
  const link = linkOf(post.link, (text) => fits(text, PART_TOKENS.link));
  spend(link);
  const tags = tagsWithin(post.tags, (text) => fits(text, PART_TOKENS.tags));
  const facts = [when, place, by, ...warnings, link, tags].filter((fact) => fact !== "");
  return `${head}${title}\n${" ".repeat(mark.length)}${facts.join(" | ")}`;
}

/** The address that the post links to, or word of it: part of one would be useless. */
function linkOf(link: string | null, fits: (text: string) => boolean): string {
  if (link === null) return "";
  const text = shownLink(visibleLine(link));
  return [text, "has a link"].find(fits) ?? "";
}

/** A web address as it is; one with anything that could look like the board's own words in quotes. */
const shownLink = (link: string) =>
  /^https?:\/\/[\w.~:/?#@!$&()*+,;=%-]+$/.test(link) ? link : quotedLine(link);

function tagsWithin(tags: readonly string[], fits: (text: string) => boolean): string {
  for (let shown = Math.min(TAGS_SHOWN, tags.length); shown > 0; shown -= 1) {
    const text = tagsOf(tags, shown);
    if (fits(text)) return text;
  }
  return "";
}

/** Publishers of one list. The id stands where a publisher is named first; later the name alone tells it. */
class NamedPublishers {
  readonly #ids = new Map<string, Set<string>>();
  readonly #told = new Set<string>();

  constructor(posts: readonly Post[]) {
    for (const { publisher } of posts) {
      const name = visibleLine(publisher.name);
      this.#ids.set(name, (this.#ids.get(name) ?? new Set()).add(publisher.id));
    }
  }

  /** The publisher's id, or nothing where its name has told it. */
  idFor({ publisher }: Post): string {
    const isShared = (this.#ids.get(visibleLine(publisher.name))?.size ?? 0) > 1;
    const isTold = this.#told.has(publisher.id) && !isShared;
    this.#told.add(publisher.id);
    return isTold ? "" : publisher.id;
  }
}

/** Divides tokens so that small needs are met whole, and larger ones get equal shares of the rest. */
function fairShares(needs: readonly number[], tokens: number): number[] {
  const shares = needs.map(() => 0);
  let left = tokens;
  const order = [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0));
  order.forEach((at, done) => {
    const share = Math.min(needs[at] ?? 0, left / (order.length - done));
    shares[at] = share;
    left -= share;
  });
  return shares;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
