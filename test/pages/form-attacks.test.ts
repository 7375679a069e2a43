import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { prose, write } from "../support/boards/writing.ts";
import { getPage, postForm, problemsOf } from "../support/texts/html.ts";
import { HOSTILE_TEXTS } from "../support/texts/xss.ts";

/** Closes what a page may hold open, and adds an element and an attribute that no page has. */
const BREAKOUT = `"'></textarea></option></title></script><img src=x onerror=alert(1)><b onclick="x">`;
const INJECTED = /<img|<b onclick/i;
const NOTICE = ["title", "body", "place", "starts_at", "ends_at", "url", "tags", "kind"];

describe("forms that carry a key", () => {
  const board = useTestBoard({ LOG_LEVEL: "debug" });
  const me = usePublisher(board, "Tea House");
  let post: string;
  beforeAll(async () => {
    post = (await write(board, me.key, { title: "Bicycle to sell" })).id;
  });
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm(board, "/join", { api_key: me.key, ...fields }, headers);

  /** A form of each sort, and of each one more that fails. */
  const forms = (): Record<string, string>[] => [
    { do: "show" },
    { do: "write", title: "Lamp", body: "A lamp to sell, nearly new." },
    { do: "write", title: "", body: "" },
    { do: "answer", parent_id: post, body: "Is it still there?" },
    { do: "change", id: post },
    { do: "save", id: post, title: "Bicycle for sale" },
    { do: "save", id: post, title: "" },
    { do: "end", id: post },
    { do: "remove", id: "nobody" },
    { do: "edit", name: "Tea & Co" },
    { do: "verify" },
    { do: "stop", id: "sub_nobody" },
    { do: "pause", id: "sub_nobody" },
    { do: "resume", id: "sub_nobody" },
    { do: "erase" },
  ];

  it("stand in no frame, tell nobody where one comes from, and leave the key in no address, header, cache or log, and on a page only where the next form needs it", async () => {
    for (const fields of forms()) {
      const { text, headers } = await send(fields);
      const told = ["content-security-policy", "referrer-policy", "cache-control"].map((name) =>
        headers.get(name),
      );
      expect(told, fields["do"]).toEqual([
        expect.stringContaining("frame-ancestors 'none'"),
        "no-referrer",
        "no-store",
      ]);
      expect([...headers].join(), fields["do"]).not.toContain(me.key);
      const elsewhere = text.replaceAll(`<input type="hidden" name="api_key" value="${me.key}">`, "");
      expect(elsewhere, fields["do"]).not.toContain(me.key);
    }
    const { headers } = await getPage(board, "/join");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(board.logs.length).toBeGreaterThan(0);
    expect(board.logs.join("\n")).not.toContain(me.key);
    expect(await board.contents()).not.toContain(me.key);
  });

  it("take no key from an address, and read none out of a page for whom asks with a wrong one", async () => {
    const { text } = await getPage(board, `/join?do=show&api_key=${me.key}`);
    expect(text).not.toContain(me.key);
    expect(text).not.toContain("Tea");
    const wrong = `${me.key.slice(0, -1)}_`;
    const refused = await send({ do: "show", api_key: wrong });
    expect(refused.status).toBe(401);
    expect(refused.text).not.toContain(wrong);
  });

  it("do nothing for any of these from another site", async () => {
    const before = (await call(board, "GET /publishers/me", undefined, me)).body.data;
    for (const site of ["cross-site", "same-site"]) {
      const register = { do: "register", name: "Tea", accept_terms: "yes" };
      for (const fields of [...forms(), register]) {
        const { status, text } = await send(fields, { "sec-fetch-site": site });
        expect([status, text.includes("Nothing has been done yet")], fields["do"]).toEqual([200, true]);
        expect(text, fields["do"]).not.toContain('role="alert"');
        expect(text, fields["do"]).not.toContain(me.key);
      }
    }
    expect((await call(board, "GET /publishers/me", undefined, me)).body.data).toEqual(before);
  });

  it.each([
    ["the form of a key", { do: "register", name: BREAKOUT, description: BREAKOUT, url: BREAKOUT }],
    ["a notice", { do: "write", ...Object.fromEntries(NOTICE.map((name) => [name, BREAKOUT])) }],
    ["a name that is too long", { do: "edit", name: BREAKOUT.repeat(3), description: BREAKOUT }],
    ["the website", { do: "verify", url: BREAKOUT }],
    ["an answer", { do: "answer", parent_id: BREAKOUT, body: BREAKOUT }],
    ["a box to tick", { do: "erase", confirm: BREAKOUT }],
    ["what is no field of theirs", { do: BREAKOUT, [BREAKOUT]: BREAKOUT, once: BREAKOUT }],
  ])("show what was typed as text: %s", async (_name, fields) => {
    const { text, status } = await send(fields);
    expect(status).toBeLessThan(500);
    expect(text).not.toMatch(INJECTED);
    expect(await problemsOf(text)).toEqual([]);
  });

  it("show a hostile post for editing, and hostile replies, as text", async () => {
    const other = (await call(board, "POST /publishers", { name: BREAKOUT.slice(0, 80), accept_terms: true }))
      .body.data.api_key;
    // More posts so much alike would be refused.
    for (const text of HOSTILE_TEXTS.slice(0, 4)) {
      const fields = {
        title: text + BREAKOUT,
        body: `${prose()} ${text}${BREAKOUT}`,
        location: { name: BREAKOUT },
      };
      const { id } = await write(board, me.key, { ...fields, tags: [BREAKOUT.slice(0, 40)] });
      await write(board, other, { parent_id: id, title: BREAKOUT, body: `${prose()} ${text}${BREAKOUT}` });
      const edited = await send({ do: "change", id });
      expect(edited.text).not.toMatch(INJECTED);
      expect(await problemsOf(edited.text)).toEqual([]);
    }
    const own = await send({ do: "show" });
    expect(own.text).not.toMatch(INJECTED);
    expect(await problemsOf(own.text)).toEqual([]);
  });
});
