import { describe, expect, it } from "vitest";
import { runCommand } from "../support/boards/board-process.ts";
import { call, register } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { titles, write } from "../support/boards/writing.ts";

describe("agent-board moderate", () => {
  /** The operator's command, which opens the store of the running board for itself. */
  const moderate = (...args: string[]) => runHere(["moderate", ...args], { DATA_DIR: board.dataDir });
  const statusOf = async (id: string, as?: { key: string }) => {
    const { status, body } = await call(board, `GET /posts/${id}`, undefined, as);
    return body.error?.code ?? status;
  };

  const board = useTestBoard({ REPORTS_TO_HIDE: "1" });
  const author = usePublisher(board, "Author");

  it("hides a post by its page URL at once, keeps the reason, and restores it", async () => {
    const { id, url } = await write(board, author.key, { title: "Trebuchet", tags: ["siege"] });
    const other = await register(board, "Curious");
    const reply = await write(board, other.key, { title: "What does the trebuchet cost?", parent_id: id });
    const hide = ["moderate", "hide", url, "--reason", "weapon for sale"];
    const hidden = await runCommand(hide, { DATA_DIR: board.dataDir });
    expect(hidden.stdout).toBe(`hide ${id}: done\n`);
    expect([await statusOf(id), await statusOf(id, author)]).toEqual(["post_hidden", 200]);
    expect(await titles(board, "/search?q=trebuchet")).toEqual([]);
    // Its replies are hidden with it.
    expect([await statusOf(reply.id), await statusOf(reply.id, other)]).toEqual(["post_hidden", 200]);
    expect(await titles(board, `/search?thread=${id}`)).toEqual([]);
    expect(await titles(board, "/search?q=trebuchet&include_replies=true")).toEqual([]);
    expect((await call(board, `GET /publishers/${other.id}`)).body.data.recent_posts).toEqual([]);
    for (const page of [url, reply.url]) expect((await fetch(page)).status).toBe(404);
    await moderate("restore", id, "--reason", "a toy");
    expect([await statusOf(id), await statusOf(reply.id)]).toEqual([200, 200]);
    expect(await titles(board, "/search?q=trebuchet")).toEqual(["Trebuchet"]);
    const acts = await board.board.services.reports.history(id, 10);
    expect(acts.map(({ action, actor, reason }) => `${action} by ${actor}: ${reason}`)).toEqual([
      "restore by operator: a toy",
      "hide by operator: weapon for sale",
    ]);
  });

  it("suspends a publisher, which then reads but does not write, and reinstates it", async () => {
    const { id, key } = await register(board, "Rowdy");
    const catapult = await write(board, key, { title: "Catapult" });
    const answer = await write(board, author.key, { title: "How heavy?", parent_id: catapult.id });
    await moderate("suspend", id, "--reason", "flooding");
    expect(await titles(board, "/search?q=catapult")).toEqual([]);
    const attempt = () => call(board, "POST /posts", { title: "More", body: "More of it." }, { key });
    expect((await attempt()).body.error.code).toBe("publisher_suspended");
    expect((await call(board, "GET /publishers/me", undefined, { key })).body.data.suspended).toBe(true);
    expect((await call(board, `GET /publishers/${id}`)).body.data.recent_posts).toEqual([]);
    // It is hidden by id and on its page; its publisher still sees it.
    expect([await statusOf(catapult.id), await statusOf(catapult.id, { key })]).toEqual(["post_hidden", 200]);
    expect((await fetch(catapult.url)).status).toBe(404);
    expect(await statusOf(answer.id)).toBe("post_hidden");
    const reply = { title: "Late", body: "Too late.", parent_id: catapult.id };
    const late = await call(board, "POST /posts", reply, author);
    expect(late.body.error.code).toBe("parent_not_found");
    const report = { post_id: (await write(board, author.key)).id, reason: "spam" };
    expect((await call(board, "POST /reports", report, { key })).body.error.code).toBe("publisher_suspended");
    await moderate("reinstate", `${board.url}/publishers/${id}`, "--reason", "promised better");
    expect(await titles(board, "/search?q=catapult")).toEqual(["Catapult"]);
    expect((await attempt()).status).toBe(201);
  });

  it("lists reported posts with reasons, lists the newest acts, and removes a post with its replies", async () => {
    const { id } = await write(board, author.key);
    const reply = await write(board, author.key, { parent_id: id });
    await call(board, "POST /reports", { post_id: id, reason: "scam" });
    const { stdout } = await moderate("list", "--limit", "5");
    expect(stdout).toMatch(new RegExp(`${id}\thidden\t1 reporter\tscam\t`));
    expect(stdout).toMatch(new RegExp(`hide ${id}\tby reports\t1 voice`));
    const other = await write(board, author.key);
    await call(board, "POST /reports", { post_id: other.id, reason: "scam" });
    await moderate("remove", id, "--reason", "scam");
    expect([await statusOf(id), await statusOf(reply.id)]).toEqual(["post_not_found", "post_not_found"]);
    const left = (await moderate("list")).stdout;
    expect(left).toContain(`${other.id}\thidden`);
    expect(left).not.toContain(`${id}\thidden`);
  });

  it("fails in one line for an unknown id, and without a reason", async () => {
    const unknown = await moderate("hide", "nobodyhas1", "--reason", "x");
    const unreasoned = await moderate("hide", "nobodyhas1");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/^post_not_found: .*\n$/) });
    expect(unreasoned.stderr).toContain("--reason");
  });
});
