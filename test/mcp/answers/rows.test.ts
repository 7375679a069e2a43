import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/adapters/mcp/results.ts";
import { listRows } from "../../../src/adapters/mcp/rows.ts";
import type { InboxItem, PendingMatch, Subscription } from "../../../src/schema/subscription.ts";
import { AMSTERDAM, aPost, at, callOf, textOf } from "../../support/texts/answers.ts";

describe("what an inbox tells of a post", () => {
  const saved = (id: string, over: Partial<Subscription> = {}) =>
    ({ id, label: null, describes: id, pending: 0, inactive_reason: null, ...over }) as Subscription;
  const all = ["sub_a", "sub_b", "sub_c"].map((id) => saved(id));
  const item = (over: Partial<InboxItem>): InboxItem => ({
    type: "match",
    at: at(0),
    post: aPost(),
    ...over,
  });
  const inbox = (items: InboxItem[], subscriptions: Subscription[] = all, over: Partial<Call> = {}) =>
    textOf(callOf("check_subscription", over, 1), items, { subscriptions });
  const WRITTEN = "written Wed 2026-08-19, 08:00 UTC";
  const ANSWER = 'answer it with `parent_id` "7fKm3Qx9Rt"';
  const reply = aPost({ id: "7fKm3Qx9Rt-abcdef", parent_id: "7fKm3Qx9Rt" });
  const change = (what: string[], before: object = {}) =>
    ({ what, before, at: at(0) }) as NonNullable<InboxItem["change"]>;

  it.each<[line: string, items: Partial<InboxItem>[]]>([
    [
      `matches S2 (relevance 0.8), S1 (relevance 0.3), ${WRITTEN}`,
      [
        { subscription_id: "sub_c", post: aPost({ relevance: 0.8 }) },
        { subscription_id: "sub_a", post: aPost({ relevance: 0.3 }) },
      ],
    ],
    [
      `matches \`sub_gone\` (relevance 1), ${WRITTEN}`,
      [{ subscription_id: "sub_gone", post: aPost({ relevance: 1 }) }],
    ],
    [`a reply to your post, ${WRITTEN}; ${ANSWER}`, [{ type: "reply", post: reply }]],
    [`a reply in a thread you replied to, ${WRITTEN}; ${ANSWER}`, [{ type: "activity", post: reply }]],
    [
      `a reply to your post, CHANGED since you were told: ended before its time, ${WRITTEN}; ${ANSWER}`,
      [{ type: "reply", post: reply, change: change(["ended"]) }],
    ],
    [
      `matches S1 (relevance 1), CHANGED since you were told: location (was nothing), location (was nothing), cancelled, ${WRITTEN}`,
      ["sub_a"].map((subscription_id) => ({
        ...{ subscription_id, post: aPost({ relevance: 1 }) },
        change: change(["location", "location", "cancelled"], { location: { ...AMSTERDAM, name: null } }),
      })),
    ],
    [
      `a post that you replied to, CHANGED since you were told: cancelled, ${WRITTEN}`,
      [{ type: "activity", change: change(["cancelled"]) }],
    ],
    [
      "a post that you replied to, CHANGED since you were told: taken down",
      [{ type: "activity", post: { id: "7fKm3Qx9Rt" }, change: change(["removed"]) }],
    ],
    [
      "matches S1, CHANGED since you were told: taken down",
      [{ subscription_id: "sub_a", post: { id: "7fKm3Qx9Rt" }, change: change(["removed"]) }],
    ],
    [
      `matches S1 (relevance 1), CHANGED since you were told: starts_at (was ${at(5)}), ends_at (was nothing), location (was "The mill"), ended before its time, ${WRITTEN}`,
      [
        {
          subscription_id: "sub_a",
          post: aPost({ relevance: 1 }),
          change: change(["starts_at", "ends_at", "location", "ended"], {
            starts_at: at(5),
            ends_at: null,
            location: { ...AMSTERDAM, name: "The mill" },
          }),
        },
      ],
    ],
  ])("is why: %s", (line, items) => {
    const text = inbox(items.map(item));
    expect(text.split("\n")).toContain(`   ${line}`);
    expect(text).toMatch(/UTC\. 1 post, oldest first\./);
    expect(text.includes("1. `7fKm3Qx9Rt` is taken down: nobody reads it any more\n")).toBe(
      items[0]?.post !== undefined && !("title" in items[0].post),
    );
  });

  it("is, of a look at one saved query, how well it answers and what changed", () => {
    const match = { ...aPost({ relevance: 0.7 }), delivery_id: 1, matched_at: at(0) } as PendingMatch;
    const line = (over: object) =>
      textOf(callOf("check_subscription"), [{ ...match, ...over }])
        .split("\n")
        .at(-1);
    expect(line({})).toBe(`   relevance 0.7, ${WRITTEN}`);
    expect(line({ change: change(["ended"]) })).toBe(
      `   relevance 0.7, CHANGED since you were told: ended before its time, ${WRITTEN}`,
    );
  });

  it("is followed by the saved queries that matched or need attention; by all where all were asked for", () => {
    const items = [item({ subscription_id: "sub_b", post: aPost({ relevance: 1 }) })];
    const queries = [
      saved("sub_a"),
      saved("sub_b", { label: "Fairs", pending: 2 }),
      saved("sub_c", { inactive_reason: "webhook_gone" }),
    ];
    const listed = (...asked: Parameters<typeof inbox>) =>
      inbox(...asked)
        .split(/\n(?=.*subscriptions:\n)/)[1]
        ?.split("\n");
    expect(listed(items, queries)).toEqual([
      "Of your 3 subscriptions:",
      'S1 `sub_b` | "Fairs" | "sub_b" | 2 kept',
      'S2 `sub_c` | "sub_c" | 0 kept | inactive: webhook_gone',
    ]);
    expect(listed(items, queries.slice(1))?.[0]).toBe("Your subscriptions:");
    expect(listed(items, queries, { detail: "full" })?.slice(0, 2)).toEqual([
      "Your subscriptions:",
      'S1 `sub_a` | "sub_a" | 0 kept',
    ]);
    expect(inbox([], [])).toBe("Nothing new.\nYou have no subscriptions.");
    expect(inbox([], queries.slice(0, 1))).toBe("Nothing new.");
  });

  it("has a row for each way in which it came, and for each change", () => {
    const item = (over: Partial<InboxItem>): InboxItem => ({
      type: "match",
      at: at(0),
      post: aPost(),
      ...over,
    });
    const change = (ms: number) => ({ change: { what: [], before: {}, at: at(ms) } });
    const items = [
      item({}),
      item({ subscription_id: "b" }),
      item({ type: "reply" }),
      item(change(1)),
      item(change(2)),
    ];
    expect(listRows(items).map((row) => row.items.length)).toEqual([2, 1, 1, 1]);
  });
});
