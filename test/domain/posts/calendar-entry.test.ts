import { beforeAll, describe, expect, it } from "vitest";
import { calendarEntry, cancelledEntries, pastOf } from "../../../src/domain/posts/calendar-entry.ts";
import type { Store, StoredPost } from "../../../src/ports/store/index.ts";
import type { SearchQuery } from "../../../src/schema/query.ts";
import { useTestBoard } from "../../support/boards/use.ts";
import { aPost, aPublisher, T0 } from "../../support/search/rows.ts";

const DAY = 86_400_000;
const NOW = T0 + 50 * DAY;
const moment = (at: number) => ({ from: at, to: at, local: false, text: "" });

describe("a calendar, of posts that were removed,", () => {
  const board = useTestBoard({}, { idle: true });
  let store: Store;
  const removed = async (id: string, over: Partial<StoredPost> = {}, at = NOW - 1_000) => {
    const dates = { startsAt: NOW + DAY, expiresAt: NOW + 30 * DAY };
    await store.posts.insert(aPost(id, { kind: "event", ...dates, ...over }));
    await store.posts.remove(id, at);
  };
  const told = async (query: Partial<SearchQuery>) =>
    (await cancelledEntries(query as SearchQuery, NOW, store)).map(({ id }) => id).sort();

  beforeAll(async () => {
    ({ store } = board.board);
    await store.publishers.insert(aPublisher("pub_a"));
    await store.publishers.insert(aPublisher("pub_v", { verifiedAt: T0, verifiedVia: "dns" }));
    await store.publishers.insert(aPublisher("pub_s", { suspendedAt: T0 }));
    await store.posts.insert(aPost("root", { kind: "thread", expiresAt: NOW + 30 * DAY }));
    await removed("event", { endsAt: NOW + 2 * DAY });
    await removed("offer", { kind: "offer" });
    await removed("verified", { publisherId: "pub_v" });
    await removed("suspended", { publisherId: "pub_s" });
    await removed("relayed", { syndicated: true });
    await removed("root-reply", { parentId: "root" });
    await removed("over", { startsAt: NOW - 40 * DAY, endsAt: NOW - 31 * DAY });
    await removed("expired", { startsAt: NOW - DAY, expiresAt: NOW });
    await removed("lasts", { startsAt: NOW - 40 * DAY, endsAt: NOW + 9 * DAY });
    await removed("later", { startsAt: NOW + 60 * DAY });
    await removed("dateless", { startsAt: null });
    await removed("kept", {}, NOW - 30 * DAY);
    await removed("dropped", {}, NOW - 30 * DAY - 1);
  });

  const ALL = ["event", "kept", "lasts", "later", "offer", "over", "relayed", "verified"];
  const without = (...ids: string[]) => ALL.filter((id) => !ids.includes(id));

  it.each<[what: string, query: Partial<SearchQuery>, ids: string[]]>([
    ["all that it would show, of the last thirty days", {}, ALL],
    ["those of its kinds", { kind: ["offer", "request"] }, ["offer"]],
    ["those of its publisher", { publisher: "pub_v" }, ["verified"]],
    ["those of verified publishers", { verified: true }, ["verified"]],
    ["those that are first-hand", { include_syndicated: false }, without("relayed")],
    ["replies where it holds them", { include_replies: true }, [...ALL, "root-reply"].sort()],
    ["replies in its thread alone", { thread: "root" }, ["root-reply"]],
    ["expired ones where it holds them", { include_expired: true }, [...ALL, "expired"].sort()],
    ["those that end at its bound or later", { after: moment(NOW + 9 * DAY) }, ["lasts", "later"]],
    ["those that begin at its bound or sooner", { before: moment(NOW + DAY) }, without("later")],
    ["by time, none that was over thirty days ago", { sort: "soonest" }, without("over")],
    ["none where words are asked for", { q: "fair" }, []],
    ["none where tags are asked for", { tags: ["fair"] }, []],
    ["none where a place is asked for", { near: { lat: 52.37, lng: 4.9 } as SearchQuery["near"] }, []],
  ])("tells %s", async (_what, query, ids) => {
    expect(await told(query)).toEqual(ids);
  });

  it("tells when each was to be and when it was removed, the latest removal first, fifty at most", async () => {
    const [first] = await cancelledEntries({ publisher: "pub_v" } as SearchQuery, NOW, store);
    const times = { startsAt: NOW + DAY, endsAt: null, createdAt: T0, changedAt: NOW - 1_000 };
    expect(first).toEqual({ id: "verified", ...times });
    for (let n = 0; n < 51; n += 1) await removed(`many${n}`, { kind: "request" }, NOW + n);
    const many = await cancelledEntries({ kind: ["request"] } as SearchQuery, NOW + 60, store);
    expect(many.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, n) => `many${50 - n}`));
  });
});

describe("a post in a calendar", () => {
  const board = useTestBoard({}, { idle: true });
  const entry = (id: string) =>
    calendarEntry(id, { store: board.board.store, posts: board.board.services.posts });
  const dated = { startsAt: NOW, endsAt: NOW + DAY };

  beforeAll(async () => {
    const { publishers, posts } = board.board.store;
    await publishers.insert(aPublisher("pub_a"));
    await publishers.insert(aPublisher("pub_s", { suspendedAt: T0 }));
    for (const [id, over] of [
      ["shown", dated],
      ["dateless", {}],
      ["hidden", { ...dated, state: "hidden", updatedAt: T0 + 1 }],
      ["hidden_dateless", { state: "hidden" }],
      ["suspended", { ...dated, publisherId: "pub_s" }],
      ["removed", dated],
      ["removed_dateless", {}],
      ["hidden-reply", { ...dated, parentId: "hidden" }],
    ] as const)
      await posts.insert(aPost(id, over));
    for (const id of ["removed", "removed_dateless"]) await posts.remove(id, NOW + 1_000);
  });

  it("is shown as it is", async () => {
    expect(await entry("shown")).toMatchObject({
      post: { id: "shown", title: "Title of shown", starts_at: new Date(NOW).toISOString() },
    });
  });

  it.each([
    ["removed", T0],
    ["hidden", T0 + 1],
    ["suspended", T0],
    ["hidden-reply", T0],
  ])("is cancelled where it is %s, and no more is said of it", async (id, changedAt) => {
    expect(await entry(id)).toEqual({ cancelled: { id, ...dated, createdAt: T0, changedAt } });
  });

  it.each([
    ["none", "post_not_found", undefined],
    ["removed_dateless", "post_not_found", undefined],
    ["hidden_dateless", "post_hidden", undefined],
    ["dateless", "not_found", "This post has no dates, so it is in no calendar."],
  ])("is none where it is %s: %s", async (id, code, hint) => {
    const error = await entry(id).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code, ...(hint === undefined ? {} : { hint }) });
  });
});

describe("the past of a calendar", () => {
  const query = { kind: ["event"], limit: 100 } as SearchQuery;

  it("is its last thirty days, expired posts included", () => {
    expect(pastOf(query, NOW)).toEqual({
      ...query,
      ...{ after: moment(NOW - 30 * DAY), before: moment(NOW), include_expired: true },
    });
  });

  it.each([{ after: moment(NOW) }, { before: moment(NOW) }, { cursor: "c" }])(
    "is none where its days are chosen: %j",
    (chosen) => {
      expect(pastOf({ ...query, ...chosen }, NOW)).toBeNull();
    },
  );
});
