import type { Document } from "mongodb";
import type { PostFilter } from "../../../schema/filter.ts";
import { EARTH_RADIUS_KM } from "../../../search/ranking/distance.ts";

/** Lists have this order; posts of one moment go by id, in the same direction. */
export const ORDERS = {
  newest: { path: "created_at", direction: -1 },
  soonest: { path: "win_start", direction: 1 },
} as const;

/** A field of a post must be a value, one of several, or within bounds. */
type Rule = { path: string } & ({ is: unknown } | { oneOf: readonly unknown[] } | { within: Bounds });
type Bounds = Partial<Record<"gt" | "gte" | "lt" | "lte", Date | string>>;

/** Turns a filter into rules for `find`, `$search` and `$vectorSearch`: all but places, and times compared with each other. */
function rulesOf(filter: PostFilter): Rule[] {
  const is = (path: string, value: unknown): Rule => ({ path, is: value });
  const oneOf = (path: string, values: readonly unknown[] | null): Rule[] =>
    values === null ? [] : [{ path, oneOf: values }];
  const from = (path: string, bound: "gt" | "gte" | "lte", time: number | null): Rule[] =>
    time === null ? [] : [{ path, within: { [bound]: new Date(time) } }];
  return [
    is("state", "active"),
    is("pub_suspended", false),
    ...oneOf("kind", filter.kinds),
    ...oneOf("tags", filter.tags),
    ...from("win_end", "gte", filter.after),
    ...from("win_start", "lte", filter.before),
    ...(filter.verifiedOnly ? [is("pub_verified", true)] : []),
    ...(filter.publisherId === null ? [] : [is("publisher_id", filter.publisherId)]),
    ...(filter.parentId === null ? [] : [is("parent_id", filter.parentId)]),
    ...(filter.parentId === null && !filter.includeReplies ? [is("is_reply", false)] : []),
    ...from("expires_at", "gt", filter.includeExpired ? null : filter.now),
    ...(filter.includeSyndicated ? [] : [is("syndicated", false)]),
    // A time beyond the range of dates bounds nothing.
    ...from("created_at", "lte", filter.createdUntil <= 8.64e15 ? filter.createdUntil : null),
  ];
}

/** Turns a filter into conditions of `$vectorSearch`, which has no places. */
export const conditionsOf = (filter: PostFilter): Document[] => rulesOf(filter).map(conditionOf);

/** Turns a whole filter into conditions of `find`. Its circles and `src/search/ranking/distance.ts` differ by less than 10 cm. */
export function findConditionsOf(filter: PostFilter): Document[] {
  const { near, endedBy, datedOnly = false } = filter;
  return [
    ...conditionsOf(filter),
    ...(near === null
      ? []
      : [
          { geo: { $geoWithin: { $centerSphere: [[near.lng, near.lat], near.radiusKm / EARTH_RADIUS_KM] } } },
        ]),
    ...(endedBy === undefined ? [] : [{ win_end: { $lt: new Date(endedBy) } }]),
    ...(datedOnly ? [{ $expr: { $ne: ["$win_start", "$created_at"] } }] : []),
  ];
}

/** Circles are a little larger in `$search`: its distances and ours differ by less, and `find` checks each post again. */
const WIDER = 1.01;

/** Writes a filter as clauses of `$search`; circles are a little too large, and times are not compared with each other. */
export function clausesOf(filter: PostFilter): Document[] {
  const clauses = rulesOf(filter).map(clauseOf);
  if (filter.near === null) return clauses;
  const { lat, lng, radiusKm } = filter.near;
  const circle = { center: { type: "Point", coordinates: [lng, lat] }, radius: radiusKm * 1000 * WIDER };
  return [...clauses, { geoWithin: { path: "geo", circle } }];
}

/** Finds posts after a place of a list, by a condition that lets an index walk start at the place. */
export function conditionAfter(page: ListPage): Document {
  const { from, beyond } = rulesAfter(page);
  return { $and: [conditionOf(from), { $or: beyond.map(conditionOf) }] };
}

/** Says the same as a clause of `$search`, which leaves in what `find` takes out: posts of the place's moment. */
export const clauseAfter = (page: ListPage): Document => clauseOf(rulesAfter(page).from);

interface ListPage {
  order: keyof typeof ORDERS;
  after: { at: number; id: string };
}

/** Takes what lies at or after a moment, and beyond it in time or in id. */
function rulesAfter({ order, after: { at, id } }: ListPage): { from: Rule; beyond: Rule[] } {
  const { path, direction } = ORDERS[order];
  const time = new Date(at);
  const [beyond, from] = direction === 1 ? (["gt", "gte"] as const) : (["lt", "lte"] as const);
  const within = (field: string, bounds: Bounds): Rule => ({ path: field, within: bounds });
  return {
    from: within(path, { [from]: time }),
    beyond: [within(path, { [beyond]: time }), within("_id", { [beyond]: id })],
  };
}

function conditionOf(rule: Rule): Document {
  if ("is" in rule) return { [rule.path]: rule.is };
  if ("oneOf" in rule) return { [rule.path]: { $in: [...rule.oneOf] } };
  const bounds = Object.entries(rule.within).map(([bound, value]) => [`$${bound}`, value]);
  return { [rule.path]: Object.fromEntries(bounds) };
}

function clauseOf(rule: Rule): Document {
  if ("is" in rule) return { equals: { path: rule.path, value: rule.is } };
  if ("oneOf" in rule) return { in: { path: rule.path, value: [...rule.oneOf] } };
  return { range: { path: rule.path, ...rule.within } };
}
