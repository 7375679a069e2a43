import { closest, distance } from "fastest-levenshtein";

/**
 * Fields have these other names. They count where a call has the field, and no field of the other name: MCP then reads the
 * name as the field, and REST proposes the field. A post's `url` is called `link` when it is read.
 */
const OTHER_NAMES: readonly (readonly [field: string, names: string])[] = [
  ["q", "query keywords keyword text search"],
  ["near", "location"],
  ["kind", "type category"],
  // A single day is both bounds.
  ["after", "from since start_date date"],
  ["before", "to until end_date date"],
  ["parent_id", "parent reply_to replyTo in_reply_to thread_id"],
  ["starts_at", "start starts start_at start_time start_date begin when date datetime date_time"],
  ["ends_at", "end ends end_at end_time end_date"],
  ["expires_at", "expires expiry"],
  ["timezone", "tz time_zone"],
  ["source_url", "source"],
  ["title", "subject headline"],
  ["body", "description content message text"],
  ["wait_s", "wait"],
  ["id", "subscription_id post_id"],
  ["post_id", "id"],
  ["url", "link"],
];

/** These fields make up the name of a place, from the house to the country. */
export const PLACE_NAMES =
  "name location_name venue where place address street city town region country".split(" ");
const COORDINATES = "lat latitude lng lon long longitude coordinates geo";
/** These fields may tell a place. */
export const PLACE_FIELDS: ReadonlySet<string> = new Set([...PLACE_NAMES, ...COORDINATES.split(" "), "type"]);

/** These names are only proposed, since their values have another form than those of the field. */
const NEARBY_NAMES: readonly (readonly [field: string, names: string])[] = [
  ["starts_at", "time"],
  ["cursor", "page offset"],
  ["lat", "latitude"],
  ["lng", "longitude lon long"],
  ["location", `${PLACE_NAMES.slice(1).join(" ")} ${COORDINATES}`],
  ["near", `${PLACE_NAMES.slice(1).join(" ")} ${COORDINATES}`],
];

const fieldsIn = (table: typeof OTHER_NAMES, name: string, known: ReadonlySet<string>): string[] =>
  table
    .filter(([field, names]) => known.has(field) && names.split(" ").includes(name))
    .map(([field]) => field);

/** Lists the fields that a name stands for; none where the call has a field of this name. */
export const fieldsNamed = (name: string, known: ReadonlySet<string>): string[] =>
  known.has(name) ? [] : fieldsIn(OTHER_NAMES, name, known);

/** Guesses the field that was probably meant by an unknown name, or null. */
export function fieldMeant(name: string, known: ReadonlySet<string>): string | null {
  const [other] = fieldsIn([...OTHER_NAMES, ...NEARBY_NAMES], name, known);
  if (other !== undefined) return other;
  if (known.size === 0 || name.length > 40) return null;
  const nearest = closest(name, [...known]);
  // A word of four letters with one other is a word of its own: `age` is no slip of `tags`. Letters in another order are one.
  const isClose = distance(name, nearest) <= Math.max(1, Math.floor(name.length / 3));
  return isClose || sorted(name) === sorted(nearest) ? nearest : null;
}

const sorted = (name: string) => [...name].sort().join("");

/** Callers have these names for the kinds of posts. */
const KINDS: Readonly<Record<string, string>> = {
  offer:
    "sale sell selling for_sale item product service rental rent rentals giveaway free gift goods listing job vacancy housing",
  request: "wanted want buy buying looking looking_for search seeking need needed help ask lost",
  event: "meetup concert workshop party class course meeting conference festival talk show market exhibition",
  thread: "discussion question poll chat forum topic debate",
  announcement: "news notice alert info information warning update message note found",
};

/** Finds the kind of a post that goes by another name, or null. */
export function kindMeant(sent: unknown): string | null {
  const word = String(sent)
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  const found = Object.entries(KINDS).find(([, names]) =>
    names.split(" ").some((name) => word === name || word === `${name}s`),
  );
  return found?.[0] ?? null;
}
