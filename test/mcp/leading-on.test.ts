import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { idIn } from "../support/clients/mcp-clients.ts";

const board = useTestBoard();
const owner = usePublisher(board, "Kreuzberg Tool Library");
const client = useClient(board, "/mcp", owner);
let id: string;
beforeAll(async () => {
  const post = { title: "Drill to lend", body: "A drill, for a week.", starts_at: "2098-05-01T10:00:00Z" };
  id = (await call(board, "POST /posts", post, owner)).body.data.id;
});

const noteOf = async (args: Record<string, unknown>) =>
  /^Note: (.*)$/m.exec((await client.call("search", args)).text)?.[1];

describe("a search that finds nothing says why", () => {
  it("an unknown thread", async () => {
    expect(await noteOf({ thread: "nope" })).toContain("No post has the id sent as `thread`.");
    expect(await noteOf({ thread: id })).not.toContain("No post has");
  });

  it("a publisher by its name, or of an unknown id", async () => {
    expect(await noteOf({ publisher: "Kreuzberg Tool Library" })).toContain(
      "takes the id of a publisher (pub_…)",
    );
    expect(await noteOf({ publisher: "pub_nobody" })).toContain("No publisher has the id");
  });

  it("bounds the wrong way round, in a search and in a saved query", async () => {
    const reversed = { after: "2099-01-01", before: "2098-01-01" };
    expect(await noteOf(reversed)).toContain("`after` is later than `before`");
    const saved = await client.call("subscribe", { query: { q: "drill", ...reversed } });
    expect(saved.text).toContain("`after` is later than `before`");
  });
});

describe("a call that an answer proposes", () => {
  const keyless = useClient(board, "/mcp");

  it("has the key of whoever sends it as an argument, and goes on as it stands", async () => {
    const { key: api_key } = owner;
    const saved = await keyless.call("subscribe", { query: { q: "sackbut" }, api_key });
    const paused = await keyless.call("subscribe", { id: idIn(saved.text), active: false, api_key });
    const [, proposed = "{}"] = /^Paused: it matches nothing until: subscribe (.*)$/m.exec(paused.text) ?? [];
    expect(JSON.parse(proposed)).toEqual({ api_key: "<yours>", id: idIn(saved.text), active: true });
    const resumed = await keyless.call("subscribe", JSON.parse(proposed.replace("<yours>", api_key)));
    expect(resumed.text).toMatch(
      /^Changed: "Posts about .*\nNext: check_subscription \{"api_key":"<yours>",/s,
    );
    // Whose host sends the key has it in no call.
    expect((await client.call("subscribe", { id: idIn(saved.text), active: false })).text).toContain(
      `until: subscribe {"id":"${idIn(saved.text)}","active":true}`,
    );
  });
});
