import { describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage, postForm, problemsOf } from "../support/texts/html.ts";

describe("the form by which a post is reported", () => {
  const board = useTestBoard();
  const me = usePublisher(board);
  const reportsOn = async (id: string) =>
    (await board.board.services.moderation.examine(id)).posts[0]?.reports;
  /** The form of a page: where it goes, what is chosen, and what is typed. */
  const formOf = (text: string) => [
    /action="([^"]*\/report)"/.exec(text)?.[1],
    /<option value="(\w+)" selected>/.exec(text)?.[1],
    /<textarea id="details"[^>]*>([^<]*)</.exec(text)?.[1],
  ];

  it("stands below a post with each reason in words, and takes a report without a script", async () => {
    const { id } = await write(board, me.key);
    const { text: page } = await getPage(board, `/p/${id}`);
    const reasons = [...page.matchAll(/<option value="(\w*)">([^<]+)</g)];
    expect(Object.fromEntries(reasons.map(([, reason, words]) => [reason, words]))).toEqual({
      "": "Choose",
      ...{ spam: "Spam", scam: "Scam or fraud", illegal: "Illegal", harassment: "Harassment or hate" },
      ...{ privacy: "Somebody’s private data", copyright: "Copyright" },
      ...{ injection: "Tries to take control of agents", other: "Something else" },
    });
    expect(formOf(page)).toEqual([`/p/${id}/report`, undefined, ""]);
    const details = "It asks for money.\r\nTwice.";
    const { status, headers, text } = await postForm(board, `/p/${id}/report`, { reason: "scam", details });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(text).toContain("<h1>Thank you</h1>");
    expect(text).toContain(`Your report on <span class="id">${id}</span> was received.`);
    expect(text).toContain(`href="/p/${id}">Back to the post</a>`);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(await problemsOf(text)).toEqual([]);
    expect(await reportsOn(id)).toMatchObject([{ reason: "scam", details: "It asks for money.\nTwice." }]);
    expect((await postForm(board, `/p/${id}/report`, { reason: "other", details: " " })).status).toBe(201);
    expect(await reportsOn(id)).toMatchObject([{ reason: "other", details: null }]);
  });

  it.each([
    ["no reason", { reason: "" }, "reason", "What is wrong?", "Must be spam, scam, illegal, "],
    [
      "a reason that there is not",
      { reason: "boredom" },
      "reason",
      "What is wrong?",
      "Must be spam, scam, illegal, ",
    ],
    [
      "too long a text",
      { reason: "scam", details: "t".repeat(2_001) },
      "details",
      "Details",
      "Has 2001 characters; at most 2000 are allowed.",
    ],
  ])(
    "says what is wrong with %s, files nothing, and keeps all that was typed",
    async (_name, sent, box, label, said) => {
      const { id } = await write(board, me.key);
      const fields = { details: "My long text of an afternoon", ...sent };
      const { status, headers, text } = await postForm(board, `/p/${id}/report`, fields);
      expect([status, headers.get("cache-control")]).toEqual([400, "no-store"]);
      expect(text).toContain("<b>Nothing is reported yet.</b>");
      expect(text).not.toContain("Another site");
      expect(text).toContain(`<li><b>${label}</b>: ${said}`);
      const marks = [...text.matchAll(/id="(\w+)"[^>]* aria-invalid="true" aria-describedby="([\w-]+)"/g)];
      expect(marks.map(([, at, told]) => [at, told])).toEqual([[box, `${box}-problem`]]);
      expect(text).toMatch(new RegExp(`<span class="problem" id="${box}-problem">[^<]+<`));
      const chosen = fields.reason === "scam" ? "scam" : undefined;
      expect(formOf(text)).toEqual([`/p/${id}/report`, chosen, fields.details]);
      expect(await problemsOf(text)).toEqual([]);
      expect(await reportsOn(id)).toEqual([]);
    },
  );

  it("refuses a field that would have it do something else, and fails where there is no such post, or too much of a form", async () => {
    const { id } = await write(board, me.key);
    const { status, text } = await postForm(board, `/p/${id}/report`, { reason: "spam", dry_run: "true" });
    expect([status, text]).toEqual([400, expect.stringContaining("<li><b>dry_run</b>: Is not a parameter.")]);
    const none = await postForm(board, "/p/nothere/report", { reason: "spam" });
    expect([none.status, none.text]).toEqual([404, expect.stringContaining("This post is gone")]);
    // It once counted as a fault of the board and was logged as one.
    const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`field${n}`, "x"]));
    expect((await postForm(board, `/p/${id}/report`, many)).status).toBe(413);
  });

  it.each(["cross-site", "same-site"])("asks first when another site sent it: %s", async (site) => {
    const { id } = await write(board, me.key);
    const sent = { reason: "scam", details: "<b>x</b>" };
    const { status, text } = await postForm(board, `/p/${id}/report`, sent, { "sec-fetch-site": site });
    expect(status).toBe(200);
    expect(text).toContain("<p>Another site sent you here. Nothing is reported yet: look at ");
    expect(text).toContain(`look at <a href="/p/${id}">the post</a> first`);
    expect(formOf(text)).toEqual([`/p/${id}/report`, "scam", "&lt;b&gt;x&lt;/b&gt;"]);
    expect(text).not.toMatch(/role="alert"|aria-invalid/);
    expect(await problemsOf(text)).toEqual([]);
    expect(await reportsOn(id)).toEqual([]);
    // From a page of the board itself it is taken.
    const own = { "sec-fetch-site": "same-origin" };
    expect((await postForm(board, `/p/${id}/report`, sent, own)).status).toBe(201);
  });

  it("stands where an address of its own leads", async () => {
    for (const id of ["abc", "a%2Fb"]) {
      const { status, headers } = await getPage(board, `/p/${id}/report`);
      expect([status, headers.get("location")]).toEqual([303, `/p/${id}#report`]);
    }
    const { text } = await postForm(board, "/p/a%2Fb/report", {}, { "sec-fetch-site": "cross-site" });
    expect(formOf(text)).toEqual(["/p/a%2Fb/report", undefined, ""]);
  });

  it("says that the board is read-only", async () => {
    const still = await startBoard({ READ_ONLY: "on" });
    const { status, text } = await postForm(still, "/p/abc/report", { reason: "spam" });
    await still.stop();
    expect([status, text]).toEqual([503, expect.stringContaining("Read-only for now")]);
  });
});
