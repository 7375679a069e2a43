import type { Post } from "../../../schema/post.ts";
import { distanceKm } from "../../../search/ranking/distance.ts";
import { type Html, html, oneLine } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { anchorOf, distanceText } from "../post/card.ts";

/** The picture has units of its own: in a column of 272 px, a dot is at least 24 px wide. */
const SIZE = 272;
const RADIUS = 112;
const DOT = 12.5;
/** Dots closer than this are drawn as one, so that each can be hit. */
const APART = 27;
/** The rings lie at these shares of the farthest distance. */
const RINGS = [0.1, 0.4, 1];

interface Dot {
  x: number;
  y: number;
  posts: Post[];
}

/**
 * Draws the results as dots on distance rings, north up: how far and which way, without a third party's map. Each dot links
 * to its result.
 *
 * @param near  the place searched around
 * @returns null without one, and when no result has coordinates
 */
export function resultMap(
  posts: readonly Post[],
  near: { lat: number; lng: number } | null,
  language: Language,
): Html | null {
  const located = posts.filter(hasPlace);
  if (near === null || located.length === 0) return null;
  const farthest = Math.max(...located.map(({ location }) => distanceKm(near, location)));
  const outerKm = roundUp(Math.max(farthest, 0.3));
  const dots = dotsOf(located, near, outerKm);
  return html`<figure class="map"><svg viewBox="0 0 ${SIZE} ${SIZE}" role="group" aria-label="Where the results are">
<rect class="ground" x="0.5" y="0.5" width="${SIZE - 1}" height="${SIZE - 1}"/>
${RINGS.map((share) => ring(share, outerKm, language))}
<path class="centre" d="M${SIZE / 2 - 5} ${SIZE / 2}h10m-5 -5v10"/>
${dots.map(dotLink)}</svg>
<figcaption>${located.length} of ${posts.length} results have a place. Rings show the distance from your place; north is up.</figcaption></figure>`;
}

type Located = Post & { location: { lat: number; lng: number } };

const hasPlace = (post: Post): post is Located =>
  typeof post.location?.lat === "number" && typeof post.location.lng === "number";

/** Finds the next of 3, 6, 12, 30, 60, 120 … km: all three rings get plain labels. */
function roundUp(km: number): number {
  const power = 10 ** Math.floor(Math.log10(km));
  const steps = [0.3, 0.6, 1.2, 3, 6, 12].map((step) => Math.round(step * power * 1000) / 1000);
  return steps.find((step) => step >= km) ?? 12 * power;
}

function ring(share: number, outerKm: number, language: Language): Html {
  const middle = SIZE / 2;
  const units = unitsOf(share);
  const km = Math.round(share * outerKm * 1000) / 1000;
  return html`<circle class="ring" cx="${middle}" cy="${middle}" r="${units.toFixed(1)}"/><text x="${middle + 3}" y="${(middle - units + 11).toFixed(1)}"${language.attribute}>${distanceText(km, language)}</text>
`;
}

/** Short distances get more room, or one far result would press all others into a single dot. */
const unitsOf = (share: number) => RADIUS * Math.sqrt(share);

/** Places posts as dots by bearing and distance from the centre; close ones share a dot. */
function dotsOf(posts: readonly Located[], centre: { lat: number; lng: number }, outerKm: number): Dot[] {
  const dots: Dot[] = [];
  for (const post of posts) {
    const units = unitsOf(distanceKm(centre, post.location) / outerKm);
    const angle = bearing(centre, post.location);
    const x = SIZE / 2 + units * Math.sin(angle);
    const y = SIZE / 2 - units * Math.cos(angle);
    const near = dots.find((dot) => Math.hypot(dot.x - x, dot.y - y) < APART);
    if (near === undefined) dots.push({ x, y, posts: [post] });
    else near.posts.push(post);
  }
  return dots;
}

/** Gives the initial bearing of the great circle, in radians clockwise from north. */
function bearing(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const [phi1, phi2, delta] = [radians(from.lat), radians(to.lat), radians(to.lng - from.lng)];
  return Math.atan2(
    Math.sin(delta) * Math.cos(phi2),
    Math.cos(phi1) * Math.sin(phi2) - Math.sin(phi1) * Math.cos(phi2) * Math.cos(delta),
  );
}

function dotLink({ x, y, posts }: Dot): Html {
  const [first] = posts;
  if (first === undefined) return html``;
  const kinds = new Set(posts.map(({ kind }) => kind));
  const name =
    posts.length === 1
      ? oneLine(first.title, 80)
      : `${posts.length} results here, first: ${oneLine(first.title, 60)}`;
  return html`<a href="#${anchorOf(first)}" aria-label="${name}"><circle class="dot${kinds.size === 1 && ` k-${first.kind}`}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${DOT}"/>${posts.length > 1 && html`<text class="dot-count" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${posts.length}</text>`}</a>
`;
}

const radians = (value: number) => (value * Math.PI) / 180;
