import { expect, it } from "vitest";
import { seeded } from "../../../bench/support/random.ts";
import type { IndexEntry } from "../../../src/ports/search-index.ts";
import { KINDS } from "../../../src/schema/post.ts";
import { distanceKm } from "../../../src/search/distance.ts";
import { LIMITS } from "../../../src/search-index/follower.ts";
import {
  DAY_MS,
  NOW,
  type OpenIndex,
  post,
  question,
  useIndexFile,
} from "../../support/search/embedded-index.ts";

const openIndex = useIndexFile();
const random = seeded(7);
const anyOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const HERE = { lat: 52.52, lng: 13.4 };
const POSTS = 900;
/** Before and after the days that are told apart too. */
const FAR = [0, Date.UTC(1999, 5, 1), Date.UTC(2019, 11, 31), Date.UTC(2042, 5, 7), Date.UTC(2100, 0, 1)];
/** Many at the same moment, or a millisecond apart. */
const timeNear = () =>
  random() < 0.1 ? anyOf(FAR) : NOW + Math.floor(random() * 8 - 4) * DAY_MS + anyOf([-1, 0, 0, 1]);

/** In few enough cells that these have several blocks, and in enough that small circles touch a small part of all posts. */
function placed(n: number): IndexEntry {
  const windowStart = timeNear();
  return post({
    id: `p${n}`,
    kind: anyOf(KINDS),
    lat: HERE.lat + Math.round((random() * 2 - 1) * 30) / 20,
    lng: HERE.lng + Math.round((random() * 2 - 1) * 30) / 20 + random() * 1e-7,
    createdAt: NOW,
    windowStart,
    windowEnd: windowStart + Math.floor(random() * 3) * DAY_MS,
    expiresAt: NOW + DAY_MS,
  });
}

async function expectAsPlainReading(
  { index }: OpenIndex,
  posts: ReadonlyMap<string, IndexEntry>,
): Promise<void> {
  for (let asked = 0; asked < 60; asked += 1) {
    const near = { ...HERE, radiusKm: anyOf([10, 30, 50, 300]) };
    const kinds = random() < 0.5 ? null : [anyOf(KINDS), anyOf(KINDS)];
    const sample = anyOf([...posts.values()]);
    const after = anyOf([null, timeNear(), sample.windowEnd, sample.windowEnd + 1]);
    const before = anyOf([null, timeNear(), sample.windowStart, sample.windowStart - 1]);
    const ended = anyOf([{}, {}, { endedBy: sample.windowEnd }, { endedBy: sample.windowEnd + 1 }]);
    const filter = { kinds, near, after, before, ...ended, now: NOW, createdUntil: NOW };
    const found = await index.list(question({ filter }), { order: "newest", after: null, limit: 5000 });
    const expected = [...posts.values()].filter(
      ({ kind, lat, lng, windowStart, windowEnd }) =>
        (kinds === null || kinds.includes(kind)) &&
        distanceKm(near, { lat: lat ?? 0, lng: lng ?? 0 }) <= near.radiusKm &&
        (after === null || windowEnd >= after) &&
        (before === null || windowStart <= before) &&
        windowEnd < (ended.endedBy ?? Number.POSITIVE_INFINITY),
    );
    expect(found.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
  }
}

it("finds what a plain reading does, after changes, when rows moved, and from a snapshot", async () => {
  const limits = { ...LIMITS, snapshotFrom: 1, deadRows: 50 };
  const opened = openIndex({ limits });
  const posts = new Map<string, IndexEntry>();
  const put = (n: number) => {
    const one = placed(n);
    posts.set(one.id, one);
    opened.index.put(one);
  };
  opened.write(() => {
    for (let n = 0; n < POSTS; n += 1) put(n);
  });
  await expectAsPlainReading(opened, posts);
  // Other times in the same place.
  opened.write((index) => {
    for (const [id, one] of posts) {
      const windowStart = timeNear();
      const moved = { ...one, kind: anyOf(KINDS), windowStart, windowEnd: windowStart + DAY_MS };
      posts.set(id, moved);
      index.put(moved);
    }
  });
  await expectAsPlainReading(opened, posts);
  opened.write((index) => {
    for (let n = 0; n < POSTS; n += 2) {
      index.remove(`p${n}`);
      posts.delete(`p${n}`);
    }
    for (let n = POSTS; n < POSTS + 100; n += 1) put(n);
  });
  await expectAsPlainReading(opened, posts);
  await opened.index.close();
  const again = openIndex({ limits });
  await expectAsPlainReading(again, posts);
  await again.index.close();
});
