import { describe, expect, it } from "vitest";
import { runCommand } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { titles, write } from "../support/boards/writing.ts";

describe("agent-board moderate", () => {
  /** The operator's command, which opens the store of the running board for itself. */
  const moderate = (...args: string[]) => runHere(["moderate", ...args], environment());
  const environment = () => ({ STORE_URL: board.board.config.storeUrl });
  const statusOf = async (id: string, as?: { key: string }) => {
    const { status, body } = await call(board, `GET /posts/${id}`, undefined, as);
    return body.error?.code ?? status;
  };
  /** Beside MongoDB, a board's index hears a moment later of what another process restored. */
  const soonFound = (q: string) =>
    eventually(
      () => titles(board, `/search?q=${q}`),
      ({ length }) => length === 1,
    );

  const board = useTestBoard({ REPORTS_TO_HIDE: "1" });
  const author = usePublisher(board, "Author");

  it("hides a post by its page URL at once, keeps the reason, and restores it", async () => {
    const { id, url } = await write(board, author.key, { title: "Trebuchet", tags: ["siege"] });
    const other = await register(board, "Curious");
    const reply = await write(board, other.key, { title: "What does the trebuchet cost?", parent_id: id });
    const hide = ["moderate", "hide", url, "--reason", "weapon for sale"];
    const hidden = await runCommand(hide, environment());
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
    expect(await soonFound("trebuchet")).toEqual(["Trebuchet"]);
    const acts = await board.board.services.moderation.history(id, 10);
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
    expect(await soonFound("catapult")).toEqual(["Catapult"]);
    expect((await attempt()).status).toBe(201);
  });

  it("lists reported posts with reasons, lists the newest acts, and removes a post with its replies", async () => {
    const { id } = await write(board, author.key);
    const reply = await write(board, author.key, { parent_id: id });
    await call(board, "POST /reports", { post_id: id, reason: "scam" });
    const { stdout } = await moderate("list", "--limit", "5");
    expect(stdout).toMatch(
      new RegExp(`${id}\thidden\t.*Z\tA notice\tAuthor \\(pub_\\w+\\)\t1 report: scam\n`),
    );
    expect(stdout).toMatch(new RegExp(`hide ${id}\tby reports\t1 voice`));
    const other = await write(board, author.key);
    await call(board, "POST /reports", { post_id: other.id, reason: "scam" });
    await moderate("remove", id, "--reason", "scam");
    expect([await statusOf(id), await statusOf(reply.id)]).toEqual(["post_not_found", "post_not_found"]);
    const left = (await moderate("list")).stdout;
    expect(left).toContain(`${other.id}\thidden`);
    expect(left).not.toContain(`${id}\thidden`);
  });

  it("shows what is to be judged: the text, its author, the words of reports, and whether it was edited since", async () => {
    const { id } = await write(board, author.key, {
      title: "Catapult",
      body: "Free.\n\u202eNo \u200bcatch.",
    });
    const words = "It asks for\nmoney first.";
    await call(board, "POST /reports", { post_id: id, reason: "scam", details: words });
    const before = (await moderate("show", id)).stdout;
    expect(before).toContain(`${id}\thidden\t`);
    expect(before).toContain(`\tAuthor (${author.id})\t1 report: scam\n`);
    expect(before).toMatch(/\nauthor_registered: .*Z\n/);
    // What hides or turns text does not reach the terminal.
    expect(before).toContain("\n> Free.\n> No catch.\n");
    expect(before).toMatch(/\n.*Z\tscam\tby a visitor\n {2}> It asks for\n {2}> money first\.\n/);
    expect(before).toContain(`hide ${id}\tby reports\t1 voice`);
    await call(board, `PATCH /posts/${id}`, { body: "Free, no catch at all." }, author);
    const after = JSON.parse((await moderate("show", id, "--json")).stdout);
    expect(after).toMatchObject({
      state: "hidden",
      publisher: author.id,
      name: "Author",
      body: "Free, no catch at all.",
      edited_at: expect.stringMatching(/Z$/),
      reports: [{ reason: "scam", by: "a visitor", details: words, before_last_edit: true }],
    });
    const reporter = await register(board, "Reporter");
    await call(board, "POST /reports", { post_id: id, reason: "spam" }, reporter);
    expect(JSON.parse((await moderate("show", id, "--json")).stdout).reports).toMatchObject([
      { before_last_edit: true },
      { by: reporter.id, reason: "spam", before_last_edit: false },
    ]);
  });

  it("tells the author why: of a hidden post, of a removed one, and of a suspension, and nobody else", async () => {
    const own = await register(board, "Owner");
    const other = await register(board, "Other");
    const { id } = await write(board, own.key);
    const read = async (post: string, as: { key: string }) =>
      (await call(board, `GET /posts/${post}`, undefined, as)).body;
    await moderate("hide", id, "--reason", 'sold as "new"');
    const hidden = await read(id, own);
    expect(hidden.meta.note).toContain(
      'The operator of this board has hidden this post: "sold as \\"new\\"".',
    );
    expect(JSON.stringify(await read(id, other))).not.toContain("sold as");
    await moderate("remove", id, "--reason", "stolen goods");
    expect((await read(id, own)).error.hint).toContain('removed your post: "stolen goods"');
    expect(JSON.stringify(await read(id, other))).not.toContain("stolen");
    const left = await write(board, own.key);
    await moderate("suspend", own.id, "--reason", "a fence");
    const note = 'The operator of this board has suspended you: "a fence".';
    expect((await read(left.id, own)).meta.note).toContain(note);
    expect((await call(board, "GET /publishers/me", undefined, own)).body.meta.note).toContain(note);
    await moderate("reinstate", own.id, "--reason", "a mistake");
    expect((await call(board, "GET /publishers/me", undefined, own)).body.meta.note).toBeUndefined();
    // What reports hid is not in the operator's words.
    await call(board, "POST /reports", { post_id: left.id, reason: "spam" });
    expect((await read(left.id, own)).meta.note).toContain("This post is hidden after reports.");
  });

  it("acts on several ids, on all of some publishers, and since a time; unknown ones fail by themselves", async () => {
    const [one, two] = [await register(board, "One"), await register(board, "Two")];
    const [a, b, c] = [await write(board, one.key), await write(board, one.key), await write(board, two.key)];
    const reply = await write(board, two.key, { parent_id: a.id });
    const states = () => Promise.all([a, b, c, reply].map(({ id }) => statusOf(id)));
    const some = await moderate("hide", a.id, c.url, "nobodyhas1", "--reason", "look", "--json");
    expect(some.code).toBe(1);
    expect(JSON.parse(some.stdout)).toEqual({
      action: "hide",
      reason: "look",
      done: [a.id, c.id],
      failed: ["nobodyhas1: post_not_found"],
    });
    expect(await states()).toEqual(["post_hidden", 200, "post_hidden", "post_hidden"]);
    const of = ["--publisher", one.id, "--publisher", `${board.url}/publishers/${two.id}`];
    expect(await moderate("restore", ...of, "--reason", "fine")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("restore: 2 of 2\n"),
    });
    expect(await states()).toEqual([200, 200, 200, 200]);
    const later = new Date(Date.parse(b.created_at)).toISOString();
    await moderate("hide", "--publisher", one.id, "--since", later, "--reason", "late");
    expect((await states()).slice(0, 3)).toEqual([
      a.created_at < later ? 200 : "post_hidden",
      "post_hidden",
      200,
    ]);
    const all = await moderate("remove", "--since", "1 hour ago", "--reason", "x");
    expect(all).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be undone") });
    // A reply that goes with its root is done, too.
    const gone = await moderate("remove", ...of, "--reason", "spam");
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining("remove: 4 of 4") });
    expect(await states()).toEqual(Array(4).fill("post_not_found"));
  });

  it("reads ids from stdin, as lists print them, and lists publishers and posts in pages", async () => {
    const who = [await register(board, "Spam & Co"), await register(board, "Spam & Sons")];
    const written = [];
    for (const { key } of who)
      for (const title of ["First", "Second"]) written.push(await write(board, key, { title }));
    const listed = (
      await runHere(["publishers", "list", "--since", "1 hour ago", "--limit", "2"], environment())
    ).stdout;
    expect(listed).toMatch(/^pub_\w+\t.*\t2 posts\t\tSpam & Sons\npub_\w+\t.*\t2 posts\t\tSpam & Co\n$/);
    const next = await runHere(
      ["publishers", "list", "--new", "--before", who[1]?.id ?? "", "--limit", "1"],
      environment(),
    );
    expect(next.stdout).toContain("\tSpam & Co\n");
    const suspended = await runCommand(["moderate", "suspend", "-", "--reason", "a wave"], environment(), {
      input: listed.replace(/^(?=pub)/gm, " \t"),
    });
    expect(suspended.stdout).toContain("suspend: 2 of 2\n");
    const posts = async (...args: string[]) =>
      (await moderate("posts", "--publisher", who[0]?.id ?? "", ...args)).stdout;
    expect(await posts()).toMatch(
      new RegExp(
        `^${written[1].id}\tactive, suspended\t.*Z\tSecond\tSpam & Co \\(${who[0]?.id}\\)\n${written[0].id}\t.*\n$`,
      ),
    );
    expect(await posts("--limit", "1", "--before", written[1].id)).toMatch(/\tFirst\t/);
    expect(await posts("--hidden")).toBe("none\n");
    const hidden = await runCommand(["moderate", "hide", "-", "--reason", "a wave"], environment(), {
      input: `${written[0].url}\n${written[2].url}\n`,
    });
    expect(hidden.stdout).toContain("hide: 2 of 2\n");
    expect(await posts("--hidden")).toMatch(new RegExp(`^${written[0].id}\t.*\n$`));
  });

  it("fails in one line for an unknown id, and without a reason", async () => {
    const unknown = await moderate("hide", "nobodyhas1", "--reason", "x");
    const unreasoned = await moderate("hide", "nobodyhas1");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/^post_not_found: .*\n$/) });
    expect(unreasoned.stderr).toContain("--reason");
  });
});
