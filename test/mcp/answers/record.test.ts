import { describe, expect, it } from "vitest";
import { receiptLines, recordText, subscriptionLines, withKey } from "../../../src/adapters/mcp/record.ts";
import type { ServedOperation } from "../../../src/adapters/mcp/tool-list.ts";
import type { Post } from "../../../src/schema/post.ts";
import type { Subscription } from "../../../src/schema/subscription.ts";
import { AMSTERDAM, aPost, at, NOW, SITE, tools, UNSERVED } from "../../support/texts/answers.ts";

describe("a record", () => {
  it("leaves out what is null and rows of zeros, and names columns once", () => {
    const output = tools.get("about")?.operations[0].operation;
    if (output === undefined) throw new Error("no about");
    const data = {
      gone: null,
      flat: { a: 1, b: null, "c\u202e": "two words" },
      days: [
        { day: "x", posts: 0, searches: 0 },
        { day: "y", posts: 2, searches: 0 },
      ],
      names: [{ from: "x", to: "y" }],
      ...{ none: [], plain: ["a", "b c"], empty: {}, nothing: { a: null }, left: undefined },
      ...{ zero: 0, no: false, blank: "", inner: { list: [1, "a\u202e"] } },
      zeros: [{ day: "x", posts: 0 }],
    };
    expect(recordText(output, data).split("\n")).toEqual([
      'flat: a 1, c "two words"',
      "days: (day, posts, searches) y, 2, 0 (The last 14 UTC days.)",
      "names: (from, to) x, y",
      ...["none: none", 'plain: a, "b c"', "empty: none", "nothing: none", "zero: 0", "no: false"],
      ...['blank: ""', 'inner: list [1,"a\\u202e"]', "zeros: none"],
    ]);
  });

  it("of a saved query says whether its webhook agreed", () => {
    const served = tools.get("subscribe")?.operations[0] as ServedOperation;
    const saved = {
      id: "sub_a",
      describes: "Posts",
      webhook_url: "https://a.example/",
      active: true,
      secret: "s3",
    };
    const linesFor = (over: object) =>
      subscriptionLines(
        { served, sendsKey: false },
        { ...saved, ...over } as unknown as Subscription,
        true,
      ).join("\n");
    expect(linesFor({ webhook_verified: false })).toContain(
      '"https://a.example/" (its owner has not answered',
    );
    expect(linesFor({ webhook_verified: true })).toContain('"https://a.example/" (verified)\nsecret: s3 (');
    expect(linesFor({ webhook_url: null })).not.toMatch(/webhook|secret/);
  });

  it("of a saved query says whether it is new, and how it goes on", () => {
    const linesOf = (isNew: boolean, sendsKey: boolean, active: boolean, at = 0) => {
      const served = tools.get("subscribe")?.operations[at] as ServedOperation;
      const saved = { id: "sub_a", describes: "Posts", webhook_url: null, active } as Subscription;
      const lines = subscriptionLines({ served, sendsKey }, saved, isNew);
      return [lines[0], lines.at(-1)];
    };
    const next = 'Next: check_subscription {"id":"sub_a","wait_s":30}';
    expect(linesOf(true, false, true)).toEqual(['Saved: "Posts". Later posts only.', next]);
    expect(linesOf(false, true, true)).toEqual([
      'Saved already: "Posts". Later posts only.',
      'Next: check_subscription {"api_key":"<yours>","id":"sub_a","wait_s":30}',
    ]);
    expect(linesOf(false, false, false, 1)).toEqual([
      'Changed: "Posts". Later posts only.',
      'Paused: it matches nothing until: subscribe {"id":"sub_a","active":true}',
    ]);
    expect(linesOf(true, true, false)[1]).toBe(
      'Paused: it matches nothing until: subscribe {"api_key":"<yours>","id":"sub_a","active":true}',
    );
  });

  it("of a saved query has a line for each thing that its owner needs", () => {
    const served = tools.get("subscribe")?.operations[0] as ServedOperation;
    const saved = {
      ...{ id: "sub_a", describes: 'Posts about "x"', webhook_url: "https://a.example/b?c", active: true },
      ...{ webhook_verified: false, secret: "whsec_a" },
    } as unknown as Subscription;
    expect(subscriptionLines({ served, sendsKey: false }, saved, true)).toEqual([
      'Saved: "Posts about \\"x\\"". Later posts only.',
      "id: sub_a",
      'webhook_url: "https://a.example/b?c" (its owner has not answered the challenge: nothing is pushed yet)',
      "secret: whsec_a (verifies pushes; shown once, so keep it)",
      'Next: check_subscription {"id":"sub_a","wait_s":30}',
    ]);
    const { secret: _shownBefore, ...later } = saved as Subscription & { secret?: string };
    expect(subscriptionLines({ served, sendsKey: false }, later, false).slice(1, -1)).toEqual([
      "id: sub_a",
      'webhook_url: "https://a.example/b?c" (its owner has not answered the challenge: nothing is pushed yet)',
    ]);
  });

  it.each([
    ["create_post {}, subscribe {}", 'create_post {"api_key":"<yours>"}, subscribe {"api_key":"<yours>"}'],
    [
      'check_subscription {"id":"a"}; check_subscription {"id":"b"}',
      'check_subscription {"api_key":"<yours>","id":"a"}; check_subscription {"api_key":"<yours>","id":"b"}',
    ],
    ['subscribe {"active":true}', 'subscribe {"api_key":"<yours>","active":true}'],
    ['create_post {"id":"a","delete":true}.', 'create_post {"api_key":"<yours>","id":"a","delete":true}.'],
    // Nobody needs a key for these, and a word is no call.
    ['search {"q":"a"}, get_post {"id":"a"}, about {}', 'search {"q":"a"}, get_post {"id":"a"}, about {}'],
    ['resubscribe {"id":"a"}, `subscribe`', 'resubscribe {"id":"a"}, `subscribe`'],
  ])("proposes %s to whoever sends a key as an argument: %s", (text, said) => {
    expect(withKey(text)).toBe(said);
  });

  it.each<[said: string, at: number, reply: object, over: Partial<Post>]>([
    ["Published.", 0, {}, {}],
    ["Already published; nothing new was written.", 0, { replayed: true }, {}],
    ["Changed.", 1, {}, {}],
    ["Changed; the post has ended.", 1, {}, { expires_at: at(0) }],
    ["Nothing was changed.", 1, { unchanged: true }, {}],
  ])("of a post that was sent says: %s", (said, nth, reply, over) => {
    const served = tools.get("create_post")?.operations[nth] as ServedOperation;
    const linesFor = (sendsKey: boolean) =>
      receiptLines({ served, now: NOW, site: SITE, sendsKey }, aPost(over), reply);
    expect(linesFor(false)[0]).toBe(said);
    const inbox = 'Replies to it: check_subscription {"api_key":"<yours>"}';
    expect(linesFor(true).includes(inbox)).toBe(nth === 0);
    expect(linesFor(false)).not.toContain(inbox);
    expect(linesFor(false).at(-1)).toBe(
      nth === 0 ? "Replies to it: check_subscription {}" : "Read as: event.",
    );
  });

  it("of a post that was sent tells its address, its end, how it was read and what was flagged", () => {
    const served = tools.get("create_post")?.operations[0] as ServedOperation;
    const linesFor = (over: Partial<Post>, site = SITE) =>
      receiptLines({ served, now: NOW, site, sendsKey: false }, aPost(over), {}).slice(1, -1);
    const place = { ...AMSTERDAM, name: "The mill" };
    expect(
      linesFor({
        ...{ kind: "offer", starts_at: "2026-12-05T09:00:00Z", timezone: "Europe/Amsterdam" },
        ...{ location: place, flags: ["many_links", "encoded_blob"] },
      }),
    ).toEqual([
      "id: 7fKm3Qx9Rt",
      "url: https://board.example/p/7fKm3Qx9Rt",
      `expires_at: ${at(1)}`,
      'Read as: offer, Sat 2026-12-05 10:00 Europe/Amsterdam, "The mill", at 52,4.9.',
      "flags: many_links, encoded_blob",
    ]);
    // Whoever sent an end without a start, or a point without a name, sees what became of it.
    const readAs = (over: Partial<Post>, site = SITE) => linesFor(over, site)[3];
    expect(readAs({ location: { ...place, name: null } })).toBe("Read as: event, at 52,4.9.");
    expect(readAs({ location: { ...place, lat: 0, lng: 0 } })).toBe('Read as: event, "The mill", at 0,0.');
    expect(readAs({ location: { ...place, lat: null, lng: null } as never })).toBe(
      'Read as: event, "The mill".',
    );
    expect(readAs({ parent_id: "8fKm3Qx9Rt", title: 'Re: "A fair"' })).toBe(
      'Read as: reply to `8fKm3Qx9Rt` titled "Re: \\"A fair\\"".',
    );
    expect(linesFor({}, UNSERVED)[1]).toBe('read it: get_post {"id":"7fKm3Qx9Rt"}');
  });
});
