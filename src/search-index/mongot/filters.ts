import type { Document } from "mongodb";
import type { PostFilter } from "../../ports/search-index.ts";

/** Circles are asked for a little larger: our distance and the database's differ by less, and every post is measured again. */
const WIDER = 1.01;

/** A filter as clauses of `$search`; everything but `datedOnly`. */
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
    range("created_at", { lte: latest(filter.createdUntil) }),
  ];
}

/** The same as conditions of `find` and of `$vectorSearch`, which knows no places; everything but `near` and `datedOnly`. */
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
    { created_at: { $lte: latest(filter.createdUntil) } },
  ];
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

/** The same as a condition. */
export function conditionAfter(path: string, order: 1 | -1, after: { at: number; id: string }): Document {
  const at = new Date(after.at);
  const beyond = order === 1 ? "$gt" : "$lt";
  return { $or: [{ [path]: { [beyond]: at } }, { [path]: at, _id: { [beyond]: after.id } }] };
}

function circle({ lat, lng, radiusKm }: NonNullable<PostFilter["near"]>): Document {
  const center = { type: "Point", coordinates: [lng, lat] };
  return { geoWithin: { path: "geo", circle: { center, radius: radiusKm * 1000 * WIDER } } };
}

/** A bound beyond what a date can hold is no bound. */
const latest = (time: number) => new Date(Math.min(time, 8.64e15));
