import { describe, expect, it } from "vitest";
import { receiptLines, recordText, subscriptionLines } from "../../../src/adapters/mcp/record.ts";
import type { ServedOperation } from "../../../src/adapters/mcp/tool-list.ts";
import type { Post } from "../../../src/schema/post.ts";
import type { Subscription } from "../../../src/schema/subscription.ts";
import { aPost, at, NOW, SITE, tools } from "../../support/texts/answers.ts";

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
      none: [],
      plain: ["a", "b c"],
    };
    expect(recordText(output, data)).toMatch(
      /^flat: a 1, c "two words"\ndays: \(day, posts, searches\) y, 2, 0 \(.*\)\nnames: \(from, to\) x, y\nnone: none\nplain: a, "b c"$/,
    );
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
  });
});
