import { describe, expect, it } from "vitest";
import { servedTools } from "../../src/adapters/mcp/tool-list.ts";
import { docsOf } from "../../src/adapters/reference/docs.ts";
import { docsMarkdown, groupMarkdown } from "../../src/adapters/reference/docs-markdown.ts";
import { SPELLED_OUT } from "../../src/adapters/reference/fields.ts";
import { shortened } from "../../src/adapters/reference/recorded-answers.ts";
import { boardSkill, skillsOf } from "../../src/adapters/reference/skills.ts";
import { toolManual } from "../../src/adapters/reference/tool-manual.ts";
import { table } from "../../src/adapters/text/markdown.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { Site } from "../../src/domain/site.ts";

const catalog = await loadCatalog();
const site = new Site("https://board.example:8443");
const docs = docsOf(catalog.operations, site);
const { groups } = docs;
const operationOf = (name: string) =>
  groups.flatMap(({ operations }) => operations).find((each) => each.name === name);

describe("the documentation", () => {
  it("has the tools of a group before its other calls", () => {
    for (const { id, operations } of groups) {
      const kinds = operations.map(({ isTool }) => isTool);
      expect([id, kinds]).toEqual([id, kinds.toSorted((a, b) => Number(b) - Number(a))]);
    }
  });

  it("writes a body of up to 90 characters on one line, and a longer one with a line for each field", () => {
    const bodies = groups
      .flatMap(({ operations }) => operations)
      .flatMap(({ curl }) => /-d ('.*')$/s.exec(curl)?.[1] ?? []);
    const [long, short] = [true, false].map((isLong) =>
      bodies.filter((each) => each.includes("\n") === isLong),
    );
    expect([long?.length, short?.length].map((count) => (count ?? 0) > 2)).toEqual([true, true]);
    for (const body of short ?? []) expect(body.length).toBeLessThanOrEqual(90);
    for (const body of long ?? []) expect(body).toMatch(/^'\{\n( {4}".*,?\n)+ {2}\}'$/);
  });

  it("shortens answers: texts to 48 characters, lists to their first item, objects to five members", () => {
    expect(shortened(["x".repeat(48), 2])).toBe(`["${"x".repeat(48)}", …]`);
    expect(shortened(["x".repeat(49)])).toBe(`["${"x".repeat(47)}…"]`);
    expect(shortened(`http://${"x".repeat(60)}`)).toBe(`"http://${"x".repeat(60)}"`);
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));
    expect(shortened([1])).toBe("[1]");
    // What all answers have in common is left out; a member with one of its names is not.
    const meta = { board: "b", docs: "d" };
    expect(shortened({ meta, data: { board: "b" } })).toBe('{"meta": {…}, "data": {"board": "b"}}');
    expect(shortened(members(6))).not.toContain("…");
    expect(shortened(members(7))).toBe('{"m0": 0, "m1": 1, "m2": 2, …, "m5": 5, "m6": 6}');
  });

  it("has the calls of webhooks on a page of their own, and says how often each may be asked", () => {
    const { operations = [] } = groups.find(({ id }) => id === "webhooks") ?? {};
    expect(
      operations.flatMap(({ calls }) => calls).map((each) => each.replace("/subscriptions/{id}", "")),
    ).toEqual([
      "GET /deliveries",
      "POST /deliveries/{delivery_id}/redeliver",
      "POST /rotate-secret",
      "POST /test",
      "POST /verify-webhook",
    ]);
    const [search] = groups.find(({ id }) => id === "search")?.operations ?? [];
    expect(search?.facts).toBe("answers 200, limit `search` (120 in 60 s)");
  });

  it.each([
    ["edit_post", "id", "path", true, "text", "Id or page URL of the post."],
    ["edit_post", "tags", "body", false, "list ≤ 20 of text ≤ 40", "At most 20 tags of 40 characters."],
    ["search", "limit", "query", false, "integer 1–100", "Posts a page, 1 to 100. Default 20."],
    ["list_deliveries", "id", "path", true, "text", expect.any(String)],
    ["redeliver", "delivery_id", "path", true, expect.stringMatching(/^integer/), expect.any(String)],
    [
      "create_post",
      "kind",
      "body",
      false,
      "event, offer, request, announcement, thread",
      /t is\. Default: \w+\.$/,
    ],
    ["create_post", "url", "body", false, "URL", /1,000 characters\.$/],
    ["rotate_key", "sign_out_hosts", "body", false, "boolean", /as you\. Default false\.$/],
    ["register_publisher", "accept_terms", "body", true, "true", expect.any(String)],
  ])(
    "says of %s how `%s` is sent: %s, %s, %s, and its default once",
    (name, field, place, required, form, said) => {
      const meaning = said instanceof RegExp ? expect.stringMatching(said) : said;
      const found = operationOf(name)?.fields.find((each) => each.name === field);
      expect(found).toEqual({ name: field, place, required, form, meaning });
    },
  );

  it("says which calls need a key, which are tools, and what they answer how often", () => {
    const told = (name: string) => {
      const { needsKey, isTool, facts } = operationOf(name) ?? {};
      return [needsKey, isTool, facts];
    };
    expect(told("create_post")).toEqual([
      true,
      true,
      "answers 201 or 200, limit `write` (60 in 60 s, 1000 in 86400 s)",
    ]);
    expect(told("register_publisher").slice(0, 2)).toEqual([false, true]);
    expect(told("rotate_key").slice(0, 2)).toEqual([true, false]);
  });

  it("has in Markdown the command, the answer and the links that the pages have", () => {
    const posts = groups.find(({ id }) => id === "posts");
    if (posts === undefined) throw new Error("no page");
    const text = groupMarkdown(posts, site);
    for (const [field, isMarked] of [
      ["body", true],
      ["starts_at", false],
    ])
      expect([field, text.includes(`\n- \`${field}\`* `)]).toEqual([field, isMarked]);
    for (const { curl, answer } of posts.operations) {
      expect(text).toContain(`\`\`\`sh\n${curl}\n\`\`\``);
      expect(text).toContain(`Answers ${answer?.status}:\n\n\`\`\`\n${answer?.text}\n`);
      // The examples were recorded at another address.
      expect(answer?.text).not.toContain("localhost");
    }
    expect(text).toContain("https://board.example:8443/p/");
    expect(docsMarkdown(docs, site)).toContain(
      "[Add to Cursor](https://cursor.com/install-mcp?name=board&config=",
    );
  });

  it.each([
    ["read_own_publisher", "'https://board.example:8443/api/v1/publishers/me'", true, false],
    ["read_publisher", "'https://board.example:8443/api/v1/publishers/pub_4yTq8WnZ2kPv6R'", false, false],
    ["register_publisher", "'https://board.example:8443/api/v1/publishers'", false, true],
    [
      "edit_subscription",
      "-X PATCH 'https://board.example:8443/api/v1/subscriptions/sub_4yTq8WnZ2kPv6R'",
      true,
      true,
    ],
    ["delete_post", "-X DELETE 'https://board.example:8443/api/v1/posts/7fKm3Qx9Rt'", true, false],
    ["rotate_key", "-X POST 'https://board.example:8443/api/v1/publishers/me/rotate-key'", true, false],
    ["list_replies", "'https://board.example:8443/api/v1/posts/7fKm3Qx9Rt/replies'", false, false],
  ])("has of %s a command: curl %s, with a key: %j, with a body: %j", (name, begins, hasKey, hasBody) => {
    const [first, ...rest] = (operationOf(name)?.curl ?? "").split(" \\\n  ");
    expect(first).toBe(`curl ${begins}`);
    expect(rest.map((each) => each.split(" ")[1])).toEqual([
      ...(hasKey ? ['"Authorization:'] : []),
      ...(hasBody ? ["'Content-Type:", expect.stringMatching(/^'\{/)] : []),
    ]);
  });

  it("tells when pushes are tried again, and how long what is kept is kept", () => {
    const chapters = new Map(groups.flatMap((each) => each.chapters).map(({ id, text }) => [id, text]));
    const [, waits = ""] = /Retries come after ([^;]+);/.exec(chapters.get("webhooks") ?? "") ?? [];
    const units: Record<string, number> = { s: 1, min: 60, h: 3_600 };
    const seconds = [...waits.matchAll(/(\d+) (s|min|h)\b/g)].map(
      ([, n, unit = ""]) => Number(n) * (units[unit] ?? 0),
    );
    expect(seconds).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(chapters.get("webhooks")).toContain("Refuse times more than five minutes off.");
    expect(chapters.get("feeds")).toMatch(/up to 1,000 posts with a start; what is over stays for 30 days/);
    const watching = skillsOf(catalog, site).find(({ name }) => name === "watch-a-topic")?.text;
    expect(watching).toContain("kept 30 days. With `wait_s` (at most 50)");
    expect(watching).toContain("under `/feed.xml`, `/feed.json` or `/calendar.ics`");
  });

  it("tells of each failure where it may be met, unless calls name it themselves", () => {
    const { failures = [] } = groups.find(({ id }) => id === "errors") ?? {};
    const where = (code: string) => failures.find((each) => each.code === code)?.where;
    expect(["not_found", "rate_limited", "post_not_found"].map(where)).toEqual([
      "unknown addresses, paths with an id",
      "every call",
      "",
    ]);
    expect(table(["a"], [["b | c"]])).toContain("| b \\| c |");
  });

  it("names up to five fields of an inner object", () => {
    const named = (count: number) =>
      SPELLED_OUT.object(Array.from({ length: count }, () => ({ name: "f" })) as never);
    expect([named(5), named(6)]).toEqual(["object: f, f, f, f, f", "object"]);
  });
});

describe("what agents read", () => {
  it("sends the key to the board's own host and port alone", () => {
    expect(boardSkill(skillsOf(catalog, site), site)).toContain("send it only to board.example:8443 as");
  });

  it("names every field within another, of each tool, marks what must be sent, and no failure of requests alone", () => {
    const listed = [...servedTools(catalog).values()].map(({ listed: tool, operations }) => ({
      ...tool,
      operations: operations.map(({ operation }) => operation),
    }));
    const manual = toolManual(listed, site);
    const unserved = new Site("http://localhost:8787", { isServed: false });
    expect([manual, toolManual(listed, unserved)].map((text) => text.includes("The same tools:"))).toEqual([
      true,
      false,
    ]);
    expect(manual).toContain(`\n\n${site.identity.description} The same tools: `);
    expect(manual).toContain("\n## Limits\n\nPer key");
    for (const field of ["name", "lat", "lng"]) expect(manual).toContain(`\n  - \`${field}\` `);
    for (const field of ["id", "post_id"]) expect(manual).toContain(`\n- \`${field}\`* string`);
    expect(manual).toContain("\n- `tags` ");
    expect(manual).toContain("\n- `sort` relevance|newest|soonest");
    // Who has the tools sends the key as an argument.
    expect(manual).toMatch(/^- `missing_api_key`: .*`api_key`/m);
    expect(manual).not.toContain("Authorization: Bearer");
    const told = [...(manual.split("## Failures")[1] ?? "").matchAll(/^- `(\w+)`/gm)].map(([, code]) => code);
    expect(told).toContain("post_not_found");
    const ofRequests = "invalid_json unsupported_media_type body_too_large precondition_failed";
    for (const code of `${ofRequests} method_not_allowed not_found`.split(" "))
      expect(told).not.toContain(code);
  });
});
