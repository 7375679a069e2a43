import { KINDS, type Kind } from "../../../schema/post.ts";
import { RADIUS_KM } from "../../../schema/query.ts";
import { type Html, href, html } from "../frame/html.ts";

/** Holds the parameters of a search as in its address, without empty ones. */
export type SearchParams = Readonly<Record<string, string>>;

const RADII_KM = [1, 5, 10, 25, 50, 100, 250, RADIUS_KM.max];
/** A person may choose these orders, beside the usual one. */
const ORDERS = { newest: "Newest", soonest: "Soonest" };
/** The fields of the filter form; it carries all other parameters along in hidden fields. */
const FIELDS: ReadonlySet<string> = new Set(
  "radius_km after before tags sort verified include_syndicated include_expired cursor".split(" "),
);

/** Gives the address of a search. The cursor does not survive a change. */
export function searchPath(
  params: SearchParams,
  change: Record<string, string | number | undefined> = {},
): string {
  return href("/search", { ...params, cursor: undefined, ...change });
}

/** Gives the point that a search was applied around, from `meta.query`; null without a place. */
export function nearOf({ near }: Readonly<Record<string, unknown>>): { lat: number; lng: number } | null {
  const [lat, lng] = String(near ?? "")
    .split(",")
    .map(Number);
  return lat === undefined || lng === undefined ? null : { lat, lng };
}

/** Asks what and where in one form, which keeps the filters of the current search. */
export function searchBox(params: SearchParams = {}): Html {
  return html`<search><form class="search" action="/search" method="get">
<p><label for="what">What</label><input id="what" type="search" name="q" placeholder="free jazz this weekend" value="${params["q"]}" maxlength="500"></p>
<p><label for="near">Where</label>${placeInput(params["near"])}</p>
${hiddenFields(params, new Set(["q", "near", "cursor"]))}<button type="submit">Search</button>
</form></search>`;
}

/** People call several posts of a kind by these words. */
const KIND_NAMES: Readonly<Record<Kind, string>> = {
  event: "Events",
  offer: "Offers",
  request: "Requests",
  announcement: "News",
  thread: "Threads",
};

/** Links to all kinds and to each. */
export function kindChips(params: SearchParams): Html {
  const chosen = params["kind"];
  return html`<ul class="chips" aria-label="Kinds"><li><a href="${searchPath(params, { kind: undefined })}"${chosen === undefined && html` aria-current="true"`}>All</a></li>
${KINDS.map((kind) => kindChip(kind, params, chosen === kind))}</ul>`;
}

/** Links to the posts of a kind. `count` says how many it opens, where that is known. */
export function kindChip(kind: Kind, params: SearchParams, current = false, count = ""): Html {
  return html`<li><a class="k-${kind}" href="${searchPath(params, { kind })}"${current && html` aria-current="true"`}>${KIND_NAMES[kind]}${count !== "" && html` <span class="number">${count}</span>`}</a></li>
`;
}

/** Shows the filters of the search grammar that a person would set, as a plain form. */
export function filtersForm(params: SearchParams, usualKm: number = RADIUS_KM.default): Html {
  const checked = (name: string, value: string) => params[name] === value && html` checked`;
  return html`<form class="fields" action="/search" method="get">
${hiddenFields(params, FIELDS)}
<p><label for="radius">Within</label><select id="radius" name="radius_km">${radiusOptions(params["radius_km"], usualKm)}</select></p>
<div class="pair"><p><label for="after">From</label><input id="after" type="date" name="after" value="${dateOf(params["after"])}"></p>
<p><label for="before">Before</label><input id="before" type="date" name="before" value="${dateOf(params["before"])}"></p></div>
<p><label for="tags">Any of these tags</label><input id="tags" type="text" name="tags" value="${params["tags"]}" placeholder="music, free"></p>
<p><label for="sort">Order</label><select id="sort" name="sort">${orderOptions(params)}</select></p>
<label class="check"><input type="checkbox" name="verified" value="true"${checked("verified", "true")}> Verified publishers only</label>
<label class="check"><input type="checkbox" name="include_syndicated" value="false"${checked("include_syndicated", "false")}> Hide relayed posts</label>
<label class="check"><input type="checkbox" name="include_expired" value="true"${checked("include_expired", "true")}> Include expired posts</label>
<p><button type="submit">Apply</button></p>
</form>`;
}

/** Shows the box that takes a place, below which the script suggests some. A page has at most one. */
export const placeInput = (near = ""): Html =>
  html`<input id="near" type="text" name="near" value="${near}" placeholder="Berlin, or 52.52,13.40" list="places"><datalist id="places"></datalist>`;

function hiddenFields(params: SearchParams, except: ReadonlySet<string>): Html[] {
  return Object.entries(params)
    .filter(([name]) => !except.has(name))
    .map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
    );
}

function radiusOptions(chosen: string | undefined, usualKm: number): Html[] {
  const asked = Number(chosen);
  const selected = asked > 0 ? asked : usualKm;
  const radii = [...new Set([...RADII_KM, usualKm, selected])].sort((a, b) => a - b);
  // The usual one is left out, so that addresses stay short.
  return radii.map(
    (km) =>
      html`<option value="${km === usualKm ? "" : km}"${km === selected && html` selected`}>${km} km</option>`,
  );
}

const orderOptions = (params: SearchParams): Html[] => [
  html`<option value="">${params["q"] === undefined ? "Automatic" : "Best match"}</option>`,
  ...Object.entries(ORDERS).map(
    ([sort, words]) =>
      html`<option value="${sort}"${params["sort"] === sort && html` selected`}>${words}</option>`,
  ),
];

/** Gives the day of a bound, for a date field. */
const dateOf = (bound: string | undefined) => /^\d{4}-\d{2}-\d{2}/.exec(bound ?? "")?.[0];
