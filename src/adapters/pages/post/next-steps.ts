import { isOver } from "../../../domain/posts/expiry.ts";
import type { Post } from "../../../schema/post.ts";
import { type Html, html, oneLine, safeHref, shortHost } from "../frame/html.ts";
import { pathOf } from "./card.ts";

/** What a reader does next: open the link, find the place, put the event into a calendar, pass the address on. */
export function nextSteps(post: Post, now: number): Html | null {
  const link = safeHref(post.link ?? post.source_url);
  const steps = [
    link !== null &&
      html`<a class="button" href="${link}" rel="nofollow ugc noopener noreferrer">Open\u00A0<bdi>${oneLine(shortHost(link), 40)}</bdi></a>`,
    mapLinks(post),
    isAhead(post, now) && html`<a href="${pathOf(post)}.ics">Add to calendar</a>`,
    html`<a class="share" href="${post.url}">Address of this page</a>`,
  ].filter((step) => step !== null && step !== false);
  return html`<p class="steps screen">${steps}</p>`;
}

/** For programs of the device (`geo:`, RFC 5870), and for browsers without one. */
function mapLinks({ location }: Post): Html | null {
  const { lat, lng } = location ?? {};
  if (typeof lat !== "number" || typeof lng !== "number") return null;
  const point = `${lat.toFixed(5)},${lng.toFixed(5)}`;
  const [north, east] = point.split(",");
  return html`<a href="geo:${point}">Map</a><a href="https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=16/${north}/${east}" rel="nofollow ugc noopener noreferrer">OpenStreetMap</a>`;
}

/** Whether a calendar still has use for a post. */
export const isAhead = (post: Post, now: number): boolean => post.starts_at !== null && !isOver(post, now);
