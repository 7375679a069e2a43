import { KINDS } from "../../../schema/post.ts";
import { RADIUS_KM } from "../../../schema/query.ts";
import { type Html, href, html } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";

/** The parameters of a search as in its address, without empty ones. */
export type SearchParams = Readonly<Record<string, string>>;

const RADII_KM = [1, 5, 10, 25, 50, 100, 250, RADIUS_KM.max];
/** Orders that a person may choose, beside the usual one. */
const ORDERS = { newest: "Newest", soonest: "Soonest" };
/** The fields of the filter form; it carries all other parameters along in hidden fields. */
const FIELDS: ReadonlySet<string> = new Set(
  "near radius_km after before tags sort verified include_syndicated include_expired cursor".split(" "),
);

/** The address of a search. The cursor does not survive a change. */
export function searchPath(
  params: SearchParams,
  change: Record<string, string | number | undefined> = {},
): string {
  return href("/search", { ...params, cursor: undefined, ...change });
}

/** The point that a search was applied around, from `meta.query`; null without a place. */
export function nearOf({ near }: Readonly<Record<string, unknown>>): { lat: number; lng: number } | null {
  const [lat, lng] = String(near ?? "")
    .split(",")
    .map(Number);
  return lat === undefined || lng === undefined ? null : { lat, lng };
}

/** The search line. It keeps the filters of the current search. */
export function searchBox(params: SearchParams = {}): Html {
  return html`<search><form class="search" action="/search" method="get">
<input type="search" name="q" aria-label="Search the board" placeholder="Try “free jazz near Berlin this weekend”" value="${params["q"]}" maxlength="500">
${hiddenFields(params, new Set(["q", "cursor"]))}<button type="submit">Search</button>
</form></search>`;
}

/** A link per kind, with its count of active posts where known. */
export function kindChips(
  params: SearchParams,
  language: Language,
  counts: Readonly<Record<string, number>> = {},
): Html {
  const chosen = params["kind"];
  return html`<ul class="chips" aria-label="Kinds">
${["all", ...KINDS].map((kind) => {
  const current = kind === "all" ? chosen === undefined : chosen === kind;
  const count = counts[kind];
  return html`<li><a${kind !== "all" && html` class="k-${kind}"`} href="${searchPath(params, { kind: kind === "all" ? undefined : kind })}"${current && html` aria-current="true"`}>${kind}${count !== undefined && html` <span class="number">${language.figure(count)}</span>`}</a></li>
`;
})}</ul>`;
}

/** The filters of the search grammar that a person would set, as a plain form. */
export function filtersForm(params: SearchParams): Html {
  const checked = (name: string, value: string) => params[name] === value && html` checked`;
  return html`<form class="fields" action="/search" method="get">
${hiddenFields(params, FIELDS)}
<p>${placeInput(params["near"])}</p>
<p><label for="radius">Within</label><select id="radius" name="radius_km">${radiusOptions(params["radius_km"])}</select></p>
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

/** The box that takes a place, below which the script suggests some. A page has at most one. */
export const placeInput = (near = ""): Html =>
  html`<label for="near">Near</label><input id="near" type="text" name="near" value="${near}" placeholder="Berlin, or 52.52,13.40" list="places"><datalist id="places"></datalist>`;

function hiddenFields(params: SearchParams, except: ReadonlySet<string>): Html[] {
  return Object.entries(params)
    .filter(([name]) => !except.has(name))
    .map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
    );
}

function radiusOptions(chosen: string | undefined): Html[] {
  const asked = Number(chosen);
  const radii =
    RADII_KM.includes(asked) || !(asked > 0) ? RADII_KM : [...RADII_KM, asked].sort((a, b) => a - b);
  const selected = asked > 0 ? asked : RADIUS_KM.default;
  // The default is left out, so that addresses stay short.
  return radii.map(
    (km) =>
      html`<option value="${km === RADIUS_KM.default ? "" : km}"${km === selected && html` selected`}>${km} km</option>`,
  );
}

const orderOptions = (params: SearchParams): Html[] => [
  html`<option value="">${params["q"] === undefined ? "Automatic" : "Best match"}</option>`,
  ...Object.entries(ORDERS).map(
    ([sort, words]) =>
      html`<option value="${sort}"${params["sort"] === sort && html` selected`}>${words}</option>`,
  ),
];

/** The day of a bound, for a date field. */
const dateOf = (bound: string | undefined) => /^\d{4}-\d{2}-\d{2}/.exec(bound ?? "")?.[0];
