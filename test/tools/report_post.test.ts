import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { found, write } from "../support/boards/writing.ts";

describe("report_post", () => {
  /** Keys; each reports from an address of its own. */
  let voices: string[];
  const report = (postId: string, as?: string, fields: object = {}) =>
    call(
      board,
      "POST /reports",
      { post_id: postId, reason: "spam", ...fields },
      as === undefined
        ? {}
        : { key: as, headers: { "x-forwarded-for": `203.0.113.${1 + voices.indexOf(as)}` } },
    );
  const isHidden = async (id: string) =>
    (await call(board, `GET /posts/${id}`)).body.error?.code === "post_hidden";

  const board = useTestBoard({ REPORTS_TO_HIDE: "3", TRUST_PROXY: "1" });
  const author = usePublisher(board, "Author");
  beforeAll(async () => {
    voices = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => (await register(board, `Voice ${n}`)).key),
    );
  });

  it("answers 201 with a receipt and tells no counts, with or without a key", async () => {
    const { id, url } = await write(board, author.key);
    const receipts = [
      await report(id),
      await report(url, voices[0], { details: "Look.", reason: "privacy" }),
    ];
    for (const { status, body } of receipts) {
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^rep_[2-9A-HJ-NP-Za-km-z]{14}$/),
        post_id: id,
        status: "received",
      });
    }
    expect(receipts[0]?.body.data.id).not.toBe(receipts[1]?.body.data.id);
    const [seen] = (await board.board.services.moderation.examine(id)).posts;
    expect(seen?.reports).toMatchObject([
      { by: "a visitor", reason: "spam", details: null },
      { by: expect.stringMatching(/^pub_/), reason: "privacy", details: "Look." },
    ]);
  });

  it("keeps one report for each post and reporter: a repeat keeps its id and does not count again", async () => {
    const { id } = await write(board, author.key);
    const [first, second] = [await report(id, voices[0]), await report(id, voices[0], { reason: "scam" })];
    expect(second.body.data.id).toBe(first.body.data.id);
    for (let n = 0; n < 5; n += 1) await report(id, voices[0], { reason: "scam" });
    const other = await write(board, author.key);
    const idFrom = async (address: string) => {
      const options = { headers: { "x-forwarded-for": address } };
      return (await call(board, "POST /reports", { post_id: other.id, reason: "spam" }, options)).body.data
        .id;
    };
    // Without a key, one network of IPv6 is one reporter.
    const [one, same, another] = [
      ...[await idFrom("2001:db8:9:1::1"), await idFrom("2001:db8:9:1::2"), await idFrom("2001:db8:9:2::1")],
    ];
    expect([one === same, one === another]).toEqual([true, false]);
    await report(id);
    await report(id);
    expect(await isHidden(id)).toBe(false);
    const { posts } = await board.board.services.moderation.desk(100);
    const reports = posts.find((post) => post.id === id)?.reports;
    expect(reports?.map(({ reason }) => reason).sort()).toEqual(["scam", "spam"]);
  });

  it("hides a post everywhere after reports from three voices", async () => {
    const root = await write(board, author.key, { kind: "thread", title: "Quagmire for sale" });
    const { body } = await call(board, "POST /subscriptions", { query: { kind: "thread" } }, author);
    await report(root.id, voices[0]);
    await report(root.id, voices[1]);
    expect(await isHidden(root.id)).toBe(false);
    expect((await report(root.id, voices[2])).status).toBe(201);
    expect(await isHidden(root.id)).toBe(true);
    const gone = [
      "/search?q=quagmire",
      "/search?kind=thread",
      "/posts?include_expired=true&include_replies=true",
      `/publishers/${author.id}`,
      `/subscriptions/${body.data.id}/pending`,
    ];
    for (const path of gone) {
      const answer = await call(board, `GET ${path}`, undefined, author);
      expect(JSON.stringify(answer.body.data), path).not.toContain("Quagmire");
    }
    // Later reports are kept, and hide nothing again.
    for (const voice of voices.slice(3, 6)) expect((await report(root.id, voice)).status).toBe(201);
    const { posts, acts } = await board.board.services.moderation.examine(root.id);
    expect(posts[0]?.reports).toHaveLength(6);
    expect(acts).toMatchObject([{ action: "hide", actor: "reports", reason: "3 voices" }]);
    const reply = { title: "a", body: "b", parent_id: root.id };
    const refused = await call(board, "POST /posts", reply, author);
    expect(refused.body.error.code).toBe("parent_not_found");
  });

  it("takes reports from one address for one voice, whatever their keys", async () => {
    const { id } = await write(board, author.key);
    const from = async (address: string, key: string | undefined) => {
      const options = { ...(key === undefined ? {} : { key }), headers: { "x-forwarded-for": address } };
      const { status } = await call(board, "POST /reports", { post_id: id, reason: "spam" }, options);
      expect(status).toBe(201);
    };
    for (const voice of [...voices, undefined]) await from("198.51.100.7", voice);
    // A household of IPv6 has 65,536 networks. Then a key that was heard before speaks from other addresses,
    for (let n = 0; n < 5; n += 1) await from(`2001:db8:1:${n}::1`, (await register(board, "New")).key);
    for (let n = 0; n < 5; n += 1) await from(`198.51.100.${n + 20}`, voices[0]);
    // and somebody without a key from the same addresses.
    for (let n = 0; n < 5; n += 1) await from(`198.51.100.${n + 20}`, undefined);
    expect(await isHidden(id)).toBe(false);
    await from("198.51.100.99", undefined);
    expect(await isHidden(id)).toBe(true);
  });

  it("hides a verified publisher's post only after twice as many reports", async () => {
    const verified = await register(board, "Verified");
    await board.board.store.publishers.update(verified.id, { verifiedAt: Date.now(), verifiedVia: "dns" });
    const { id } = await write(board, verified.key);
    for (const voice of voices.slice(0, 5)) await report(id, voice);
    expect(await isHidden(id)).toBe(false);
    await report(id, voices[5]);
    expect(await isHidden(id)).toBe(true);
  });

  it("hides a restored post again only after as many new voices", async () => {
    const { id } = await write(board, author.key);
    // All report at the same moment.
    const answers = await Promise.all(voices.slice(0, 3).map((voice) => report(id, voice)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await isHidden(id)).toBe(true);
    await board.board.services.moderation.act("restore", id, "harmless", Date.now());
    expect((await found(board, "/posts?limit=100")).map((post) => post.id)).toContain(id);
    for (const voice of voices.slice(0, 5)) await report(id, voice);
    expect(await isHidden(id)).toBe(false);
    await report(id, voices[5]);
    expect(await isHidden(id)).toBe(true);
  });

  it("never hides a post when REPORTS_TO_HIDE is 0", async () => {
    const lenient = await startBoard({ REPORTS_TO_HIDE: "0" });
    const { key } = await register(lenient);
    const { id } = await write(lenient, key);
    await call(lenient, "POST /reports", { post_id: id, reason: "spam" });
    expect((await call(lenient, `GET /posts/${id}`)).status).toBe(200);
    await lenient.stop();
  });

  it("takes every reason of the specification and no other, with or without details", async () => {
    const { id } = await write(board, author.key);
    const status = async (fields: object) => (await report(id, voices[0], fields)).status;
    const reasons = ["spam", "scam", "illegal", "harassment", "privacy", "copyright", "injection", "other"];
    for (const reason of reasons) expect(await status({ reason, details: " " })).toBe(201);
    const [seen] = (await board.board.services.moderation.examine(id)).posts;
    expect(seen?.reports).toMatchObject([{ reason: "other", details: null }]);
    expect(await status({ reason: "boring" })).toBe(400);
  });
});
