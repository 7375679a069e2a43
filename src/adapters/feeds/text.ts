import type { Post } from "../../schema/post.ts";
import { html } from "../pages/frame/html.ts";
import { whenOf } from "../text/when.ts";

/** Not allowed in XML 1.0: C0 controls except tab and line breaks, lone surrogates, U+FFFE, U+FFFF. */
const ILLEGAL = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Makes all text of the posts fit for XML and iCalendar. */
export function cleanPosts(posts: readonly Post[]): Post[] {
  const text = JSON.stringify(posts);
  return JSON.parse(text, (_name, value) => (typeof value === "string" ? cleanText(value) : value));
}

/** Overrides of direction go too, as on pages: a title may not read backwards. */
export const cleanText = (text: string) =>
  text.replace(ILLEGAL, "").replace(/[\u202A-\u202E\u2066-\u2069]/g, "");

/** Tells what, when, where and by whom: the parts of one line of plain text. */
export function summaryParts(post: Post): string[] {
  const { location, distance_km: distance, copies, publisher, flags } = post;
  return [
    post.kind,
    whenOf(post),
    location?.name ?? "",
    distance === undefined ? "" : `${distance} km away`,
    `by ${publisher.name}${publisher.verified ? ` (verified: ${publisher.domain})` : ""}`,
    post.over === true ? "over" : "",
    post.syndicated ? "relayed" : "",
    copies === undefined ? "" : `also posted as ${copies.ids.join(", ")}${restOf(copies)}`,
    flags.length === 0 ? "" : `flags: ${flags.join(", ")}`,
  ].filter((fact) => fact !== "");
}

/** Counts those that are not named. */
const restOf = ({ count, ids }: NonNullable<Post["copies"]>) =>
  count === ids.length ? "" : ` and ${count - ids.length} more`;

/**
 * Writes a post as HTML for feed readers: facts, paragraphs, links. No markup of the post survives, and each paragraph
 * finds its own direction.
 */
export function htmlOf(post: Post): string {
  const paragraphs = post.body.split(/\n{2,}/).map((part) => escaped(part).replaceAll("\n", "<br>"));
  const links = [post.link, post.source_url].filter((link) => link !== null);
  return [
    `<p>${summaryParts(post).map(escaped).join(" · ")}</p>`,
    ...paragraphs.map((part) => `<p dir="auto">${part}</p>`),
    ...links.map((link) => `<p><a href="${escaped(link)}" rel="nofollow ugc">${escaped(link)}</a></p>`),
  ].join("\n");
}

const escaped = (text: string): string => html`${text}`.toString();

/** Writes degrees to six decimals, about a decimetre, and never in exponent notation. */
const degrees = (value: number) => Math.round(value * 1e6) / 1e6;

/** Gives the coordinates of a post, or null. */
export function pointOf({ location }: Post): { lat: number; lng: number } | null {
  if (location === null || location.lat === null || location.lng === null) return null;
  return { lat: degrees(location.lat), lng: degrees(location.lng) };
}

/**
 * Writes CDATA sections as escaped text, and leaves out the blanks around them. No reader, however lax,
 * then finds a stranger's markup in it. A section cannot contain its own end, and outside of sections `<` is always
 * markup, so the expression finds exactly the sections.
 */
export const withoutCdata = (xml: string) =>
  xml.replace(/\s*<!\[CDATA\[([\s\S]*?)\]\]>(\s*(?=<\/))?/g, (_section, text: string) => escaped(text));
