import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../../support/boards/board.ts";
import { register } from "../../support/boards/client.ts";
import { useTestBoard } from "../../support/boards/use.ts";
import { walk, write } from "../../support/boards/writing.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const KINDS = ["event", "offer", "request", "announcement", "thread"] as const;
const TAGS = ["red", "green", "blue"];

const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
const days = fc.integer({ min: -6, max: 12 });
/** Many are at the poles and the antimeridian. */
const places = fc.record({
  lat: fc.oneof(fc.constantFrom(-90, 89.9, 90, 0), fc.integer({ min: -90, max: 90 })),
  lng: fc.oneof(fc.constantFrom(-180, 180, 179.9, 0), fc.integer({ min: -180, max: 180 })),
});
const posts = fc.record(
  {
    kind: fc.constantFrom(...KINDS),
    tags: fc.subarray(TAGS),
    location: places,
    starts: days,
    lasts: fc.integer({ min: 0, max: 5 }),
    syndicated: fc.boolean(),
    verified: fc.boolean(),
    reply: fc.boolean(),
    short: fc.boolean(),
  },
  { requiredKeys: ["kind", "tags", "syndicated", "verified", "reply", "short"] },
);
const queries = fc.record(
  {
    kind: fc.oneof(fc.constant(["event" as const]), fc.subarray([...KINDS], { minLength: 1 })),
    tags: fc.subarray(TAGS, { minLength: 1 }),
    near: places,
    radius_km: fc.constantFrom(1, 25, 120, 500),
    after: days,
    before: days,
    verified: fc.boolean(),
    include_replies: fc.boolean(),
    include_expired: fc.boolean(),
    include_syndicated: fc.boolean(),
    q: fc.constantFrom("walrus", "walrus -seal", '"walrus seal"'),
    limit: fc.constantFrom(3, 100),
  },
  { requiredKeys: ["limit"] },
);
type Query = typeof queries extends fc.Arbitrary<infer T> ? Partial<T> : never;

describe("search under every filter at once", () => {
  let now = NOW;
  // biome-ignore lint/suspicious/noExplicitAny: posts as they came over the wire
  let all: any[];

  const board = useTestBoard({}, { clock: () => now });
  beforeAll(async () => {
    const [plain, verified] = [await register(board, "Plain"), await register(board, "Verified")];
    await board.board.store.publishers.update(verified.id, { verifiedAt: now, verifiedVia: "dns" });
    const root = await write(board, plain.key, { kind: "thread", title: "root", expires_at: at(90) });
    for (const [n, sample] of fc.sample(posts, { numRuns: 150, seed: 20_261_120 }).entries()) {
      const starts = sample.starts;
      await write(board, sample.verified ? verified.key : plain.key, {
        title: ["walrus", "walrus seal", "seal walrus"][n % 3],
        // Else some would be dates of one series.
        url: `https://example.org/${n}`,
        kind: sample.kind,
        tags: sample.tags,
        syndicated: sample.syndicated,
        ...(sample.location === undefined ? {} : { location: sample.location }),
        ...(starts === undefined ? {} : { starts_at: at(starts) }),
        ...(starts === undefined || sample.lasts === undefined ? {} : { ends_at: at(starts + sample.lasts) }),
        ...(sample.reply ? { parent_id: root.id } : {}),
        expires_at: sample.short ? at(0.5) : at(30),
      });
    }
    now += DAY_MS;
    all = await walk(board, "/search?include_expired=true&include_replies=true&limit=100");
    expect(all).toHaveLength(151);
  });

  it("finds exactly the posts that pass them, each once", async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const parameters = new URLSearchParams();
        for (const [name, value] of Object.entries(query)) {
          if (name === "near") parameters.set(name, `${query.near?.lat},${query.near?.lng}`);
          else if (name === "after" || name === "before") parameters.set(name, at(Number(value)));
          else parameters.set(name, String(value));
        }
        const answered = (await walk(board, `/search?${parameters}`)).map((post) => post.id);
        const expected = all.filter((post) => passes(post, query, now)).map((post) => post.id);
        expect([...answered].sort(), parameters.toString()).toEqual(expected.sort());
      }),
      { numRuns: 150 },
    );
  });

  /** The filters as specified, applied to one post at a time. */
  // biome-ignore lint/suspicious/noExplicitAny: a post as it came over the wire
  function passes(post: any, query: Query, when: number): boolean {
    const start = Date.parse(post.starts_at ?? post.created_at);
    const end = Date.parse(post.ends_at ?? post.starts_at ?? post.expires_at);
    const words: string = post.title;
    return (
      (query.kind === undefined || query.kind.includes(post.kind)) &&
      (query.tags === undefined || query.tags.some((tag) => post.tags.includes(tag))) &&
      (query.after === undefined || end >= Date.parse(at(query.after))) &&
      (query.before === undefined || start <= Date.parse(at(query.before))) &&
      (query.verified !== true || post.publisher.verified) &&
      (query.include_replies === true || post.parent_id === null) &&
      (query.include_expired === true || Date.parse(post.expires_at) > when) &&
      (query.include_syndicated !== false || !post.syndicated) &&
      (query.near === undefined || isNear(post.location, query.near, query.radius_km ?? 25)) &&
      (query.q === undefined || words.includes("walrus")) &&
      (query.q !== "walrus -seal" || !words.includes("seal")) &&
      (query.q !== '"walrus seal"' || words === "walrus seal") &&
      // Without words, events within bounds come soonest first; past ones are left out, unless the past is asked for.
      !(soonest(query) && query.after === undefined && !asksPast(query, when) && end < when)
    );
  }

  const asksPast = (query: Query, when: number) =>
    query.include_expired === true || (query.before !== undefined && Date.parse(at(query.before)) <= when);

  it("take a radius for a circle: what lies in the corner of its box is outside, what lies on its axis inside", async () => {
    const other = await startBoard({ EMBEDDINGS: "off" });
    const { key } = await register(other);
    for (const [title, lat, lng] of [
      ["north", 52.72, 13.4],
      ["east", 52.5, 13.76],
      ["corner", 52.7, 13.7],
      ["beyond", 52.73, 13.4],
    ] as const)
      await write(other, key, { title, location: { lat, lng } });
    const near = async (radius: number) =>
      (await walk(other, `/search?near=52.5,13.4&radius_km=${radius}`)).map(({ title }) => title).sort();
    expect(await near(25)).toEqual(["east", "north"]);
    expect(await near(31)).toEqual(["beyond", "corner", "east", "north"]);
    await other.stop();
  });

  const soonest = (query: Query) =>
    query.q === undefined && query.kind?.join() === "event" && (query.after ?? query.before) !== undefined;

  function isNear(
    location: { lat: number | null; lng: number | null } | null,
    near: { lat: number; lng: number },
    radiusKm: number,
  ): boolean {
    if (location === null || location.lat === null || location.lng === null) return false;
    // By the angle between two vectors, on a sphere of the mean radius. The board computes it another way.
    const vector = (lat: number, lng: number) => {
      const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
      return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const;
    };
    const [a, b] = [vector(location.lat, location.lng), vector(near.lat, near.lng)];
    const chord = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    return 2 * 6_371 * Math.asin(Math.min(1, chord / 2)) <= radiusKm;
  }
});
