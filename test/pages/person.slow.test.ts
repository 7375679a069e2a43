import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { prose, write } from "../support/boards/writing.ts";
import { startBrowser, type TestBrowser } from "../support/clients/browser.ts";
import { getPage, postForm } from "../support/texts/html.ts";

/** A Friday. */
const NOW = Date.parse("2026-11-27T12:00:00Z");
const UTRECHT = { name: "Utrecht" };

/** Each browser on a telephone; with `ALL_LOOKS`, in three widths and in both colours. */
const LOOKS = (["chromium", "firefox"] as const).flatMap((program) =>
  (process.env["ALL_LOOKS"] ? [360, 768, 1280] : [360]).flatMap((width) =>
    (process.env["ALL_LOOKS"] ? (["light", "dark"] as const) : (["dark"] as const)).map(
      (colours) => [program, width, colours] as const,
    ),
  ),
);

let now = NOW;
const board = useTestBoard({}, { clock: () => now });
const me = usePublisher(board, "Town list");
beforeAll(async () => {
  const at = (title: string, location: object, starts_at: string) =>
    write(board, me.key, { kind: "event", title, location, starts_at, tags: ["music"] });
  await at("Market", UTRECHT, "2026-11-28T09:00");
  await at("Opera", { name: "Paris" }, "2026-11-28T20:00");
});

describe("a person", () => {
  it("is told in one sentence where nothing fits all that was said, with one button, and sees a map only near a place", async () => {
    const { text } = await getPage(board, "/search?q=opera+this+weekend+near+Utrecht");
    expect(text).toContain(
      "Nothing fits “<bdi>near Utrecht</bdi>”, “<bdi>this weekend</bdi>” and the rest too",
    );
    const [, to = "", count] =
      /<a class="button quiet" href="([^"]+)"><span>All (\d+) for “/.exec(text) ?? [];
    const json = await getPage(board, to.replaceAll("&amp;", "&").replace("/search", "/search.json"));
    const { data } = JSON.parse(json.text);
    expect(data).toHaveLength(Number(count));
    expect(data.map(({ title }: { title: string }) => title)).toContain("Market");
    expect((await getPage(board, "/search?q=market+this+weekend+near+Utrecht")).text).not.toContain(
      "Nothing fits",
    );
    expect((await getPage(board, "/search?near=Utrecht")).text).toContain('<figure class="map">');
    expect((await getPage(board, "/search?sort=newest")).text).not.toContain('<figure class="map">');
  });
});

describe.each(LOOKS)(
  "a person without scripts in %s, %i px wide and %s",
  { retry: 1 },
  (program, width, colours) => {
    const look = { javaScript: false, colours, width, height: 640 };
    let browser: TestBrowser;
    let page: Page;
    beforeAll(async () => {
      browser = await startBrowser(look, program);
    });
    afterAll(() => browser?.close());

    const press = async (role: "button" | "link", name: string | RegExp) => {
      const arrived = page.waitForEvent("load");
      await page.getByRole(role, { name }).first().click();
      await arrived;
    };
    const open = (path: string) => page.goto(board.url + path);

    it("sells a bicycle, from /join until it is taken down, and hears of an answer", async () => {
      const seller = await browser.beside(look);
      // Nobody may ask the same too often.
      const question = `Is it still there? ${prose()}`.slice(0, 200);
      page = await seller.open();
      await open("/join");
      await page.getByLabel("Name that readers see").fill("Anna");
      await page.getByLabel("I accept the terms").check();
      await press("button", "Get a key");
      await press("button", "Write a notice yourself");
      await page.getByLabel("Title").fill("Road bike, 54 cm");
      await page.getByLabel("Text, which").fill("A Specialized Allez. 400 euros.");
      await page.getByLabel("Place").fill("Utrecht");
      await press("button", "Publish");
      expect(await page.getByRole("status").textContent()).toBe("It is public now.");
      const [path = ""] = await page
        .getByRole("link", { name: "Road bike" })
        .evaluateAll((links) => links.map((link) => String(link.getAttribute("href"))));

      const own = page;
      page = await seller.open();
      await open(path);
      await page.getByLabel("Your answer").fill(question);
      await page.getByLabel("Key", { exact: true }).fill(me.key);
      await press("button", "Publish the answer");
      await page.reload();
      expect((await call(board, `GET /posts${path.replace("/p", "")}`)).body.data.reply_count).toBe(1);

      page = own;
      await page.reload();
      expect(await page.locator("#replies").textContent()).toContain(question);
      await press("button", "Edit");
      await page.getByLabel("Text, which").fill("A Specialized Allez. 350 euros.");
      await press("button", "Save");
      expect(await getPage(board, path).then(({ text }) => text)).toContain("350 euros");
      await press("button", "End now");
      await page.locator("summary", { hasText: "Take down" }).first().click();
      await press("button", "Take it down");
      expect(await page.getByRole("status").textContent()).toBe("The post is gone.");
      expect((await getPage(board, path)).status).toBe(404);
      expect(seller.complaints()).toEqual([]);
      await seller.close();
    });
  },
);

it("is shown the newest of more replies than are read", async () => {
  const { id } = await write(board, me.key, { kind: "thread" });
  const one = { kind: "thread" as const, parent_id: id };
  await writeMany(
    board,
    Array.from({ length: 501 }, () => one),
  );
  now += 2 * 86_400_000;
  const [newest = ""] = await writeMany(board, [one]);
  const { text } = await postForm(board, "/join", { do: "show", api_key: me.key });
  const [, first] = /<p class="facts"><a href="([^"]+)"/.exec(text.split('id="replies"')[1] ?? "") ?? [];
  expect(first).toBe(`/p/${newest}`);
});
