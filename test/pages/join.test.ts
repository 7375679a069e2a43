import { describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { getPage, postForm, problemsOf } from "../support/texts/html.ts";

describe("/join", () => {
  const board = useTestBoard();

  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm(board, "/join", fields, headers);
  const keyIn = (text: string) => /bbk_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? "";
  const newKey = async (name = "Tea House") =>
    keyIn((await send({ do: "register", name, accept_terms: "yes" })).text);

  it("has forms that are valid HTML and need no script", async () => {
    const { status, text, headers } = await getPage(board, "/join");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await problemsOf(text)).toEqual([]);
  });

  it("gives a key once, with what to paste where, on a page that no cache keeps", async () => {
    const answer = await send({ do: "register", name: "Tea House", accept_terms: "yes" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const key = keyIn(answer.text);
    expect(key).not.toBe("");
    expect([...answer.headers].join()).not.toContain(key);
    expect(answer.text).not.toMatch(new RegExp(`(href|action|src)="[^"]*${key}`));
    expect(answer.text).toContain(`claude mcp add`);
    expect(await problemsOf(answer.text)).toEqual([]);
    expect((await call(board, "GET /publishers/me", undefined, { key })).status).toBe(200);
  });

  it("says what is missing, and keeps what was filled in", async () => {
    const { status, text } = await send({ do: "register", name: "Tea House" });
    expect(status).toBe(400);
    expect(text).toContain("accept_terms");
    expect(text).toContain('value="Tea House"');
  });

  it("does nothing for a form on another site", async () => {
    const fields = { do: "register", name: "Tea House", accept_terms: "yes" };
    const { status, text } = await send(fields, { "sec-fetch-site": "cross-site" });
    expect(status).toBe(200);
    expect(keyIn(text)).toBe("");
    expect(text).toContain("Nothing has been done yet");
  });

  it("shows a publisher by its key, changes it, and replaces the key", async () => {
    const api_key = await newKey();
    expect((await send({ do: "show", api_key })).text).toContain("Tea House");
    const edited = await send({ do: "edit", api_key, name: "Tea & Co" });
    expect(edited.text).toContain("Tea &amp; Co");
    expect(await problemsOf(edited.text)).toEqual([]);
    const verified = await send({ do: "verify", api_key, url: "https://tea.example" });
    expect(verified.text).toContain("board-verify=");
    const rotated = keyIn((await send({ do: "rotate", api_key })).text);
    expect((await send({ do: "show", api_key })).status).toBe(401);
    expect((await send({ do: "show", api_key: rotated })).status).toBe(200);
  });

  it("erases a publisher only when the box is ticked", async () => {
    const api_key = await newKey();
    expect((await send({ do: "erase", api_key })).status).toBe(400);
    expect((await send({ do: "show", api_key })).status).toBe(200);
    expect((await send({ do: "erase", api_key, confirm: "yes" })).status).toBe(200);
    expect((await send({ do: "show", api_key })).status).toBe(401);
  });
});
