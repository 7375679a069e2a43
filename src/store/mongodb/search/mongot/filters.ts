import type { Document } from "mongodb";
import type { PostFilter } from "../../../../schema/filter.ts";
import { distanceKm, EARTH_RADIUS_KM } from "../../../../search/distance.ts";
import type { Facts } from "./facts.ts";

/** The order of lists; posts of one moment go by id, in the same direction. */
export const ORDERS = {
  newest: { path: "created_at", direction: -1 },
  soonest: { path: "win_start", direction: 1 },
} as const;

/** Circles are a little larger in queries: our distances and the database's differ by less, and we measure each post again. */
const WIDER = 1.01;

/** A filter as clauses of `$search`: everything that `passesRest` does not tell, and circles a little too large. */
export function clausesOf(filter: PostFilter): Document[] {
  const { near } = filter;
  const equals = (path: string, value: unknown) => ({ equals: { path, value } });
  const range = (path: string, bound: Document) => ({ range: { path, ...bound } });
  return [
    equals("state", "active"),
    equals("pub_suspended", false),
    ...(filter.kinds === null ? [] : [{ in: { path: "kind", value: [...filter.kinds] } }]),
    ...(filter.tags === null ? [] : [{ in: { path: "tags", value: [...filter.tags] } }]),
    ...(near === null ? [] : [circle(near)]),
    ...(filter.after === null ? [] : [range("win_end", { gte: new Date(filter.after) })]),
    ...(filter.before === null ? [] : [range("win_start", { lte: new Date(filter.before) })]),
    ...(filter.verifiedOnly ? [equals("pub_verified", true)] : []),
    ...(filter.publisherId === null ? [] : [equals("publisher_id", filter.publisherId)]),
    ...(filter.parentId === null ? [] : [equals("parent_id", filter.parentId)]),
    ...(filter.parentId === null && !filter.includeReplies ? [equals("is_reply", false)] : []),
    ...(filter.includeExpired ? [] : [range("expires_at", { gt: new Date(filter.now) })]),
    ...(filter.includeSyndicated ? [] : [equals("syndicated", false)]),
    ...(isBound(filter.createdUntil) ? [range("created_at", { lte: new Date(filter.createdUntil) })] : []),
  ];
}

/** The same as conditions of `$vectorSearch`, which has no places. */
export function conditionsOf(filter: PostFilter): Document[] {
  return [
    { state: "active" },
    { pub_suspended: false },
    ...(filter.kinds === null ? [] : [{ kind: { $in: [...filter.kinds] } }]),
    ...(filter.tags === null ? [] : [{ tags: { $in: [...filter.tags] } }]),
    ...(filter.after === null ? [] : [{ win_end: { $gte: new Date(filter.after) } }]),
    ...(filter.before === null ? [] : [{ win_start: { $lte: new Date(filter.before) } }]),
    ...(filter.verifiedOnly ? [{ pub_verified: true }] : []),
    ...(filter.publisherId === null ? [] : [{ publisher_id: filter.publisherId }]),
    ...(filter.parentId === null ? [] : [{ parent_id: filter.parentId }]),
    ...(filter.parentId === null && !filter.includeReplies ? [{ is_reply: false }] : []),
    ...(filter.includeExpired ? [] : [{ expires_at: { $gt: new Date(filter.now) } }]),
    ...(filter.includeSyndicated ? [] : [{ syndicated: false }]),
    ...(isBound(filter.createdUntil) ? [{ created_at: { $lte: new Date(filter.createdUntil) } }] : []),
  ];
}

/** The same as conditions of `find`: everything. Its circles and `src/search/distance.ts` differ by less than 10 cm. */
export function findConditionsOf(filter: PostFilter): Document[] {
  const { near, endedBy, datedOnly = false } = filter;
  return [
    ...conditionsOf(filter),
    ...(near === null ? [] : [sphere(near)]),
    ...(endedBy === undefined ? [] : [{ win_end: { $lt: new Date(endedBy) } }]),
    ...(datedOnly ? [{ $expr: { $ne: ["$win_start", "$created_at"] } }] : []),
  ];
}

/** What search indexes do not compare, or not exactly: distances, and times with each other. */
export function passesRest({ near, endedBy, datedOnly = false }: PostFilter, post: Facts): boolean {
  if (near !== null && (post.point === null || distanceKm(near, post.point) > near.radiusKm)) return false;
  if (endedBy !== undefined && post.windowEnd >= endedBy) return false;
  return !datedOnly || post.windowStart !== post.createdAt;
}

/** Posts after a place of a list, as a clause of `$search`. */
export function clauseAfter(path: string, order: 1 | -1, after: { at: number; id: string }): Document {
  const at = new Date(after.at);
  const beyond = order === 1 ? "gt" : "lt";
  return {
    compound: {
      should: [
        { range: { path, [beyond]: at } },
        {
          compound: {
            filter: [{ equals: { path, value: at } }, { range: { path: "_id", [beyond]: after.id } }],
          },
        },
      ],
      minimumShouldMatch: 1,
    },
  };
}

/** The same as a condition, in a form that lets an index walk start at the place. */
export function conditionAfter(path: string, order: 1 | -1, after: { at: number; id: string }): Document {
  const at = new Date(after.at);
  const [beyond, from] = order === 1 ? ["$gt", "$gte"] : ["$lt", "$lte"];
  return {
    $and: [
      { [path]: { [from]: at } },
      { $or: [{ [path]: { [beyond]: at } }, { _id: { [beyond]: after.id } }] },
    ],
  };
}

function circle({ lat, lng, radiusKm }: NonNullable<PostFilter["near"]>): Document {
  const center = { type: "Point", coordinates: [lng, lat] };
  return { geoWithin: { path: "geo", circle: { center, radius: radiusKm * 1000 * WIDER } } };
}

function sphere({ lat, lng, radiusKm }: NonNullable<PostFilter["near"]>): Document {
  return { geo: { $geoWithin: { $centerSphere: [[lng, lat], radiusKm / EARTH_RADIUS_KM] } } };
}

/** A time beyond the range of dates bounds nothing. */
const isBound = (time: number) => time <= 8.64e15;
