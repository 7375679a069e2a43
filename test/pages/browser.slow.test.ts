import { AxeBuilder } from "@axe-core/playwright";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { prose, write } from "../support/boards/writing.ts";
import { overflow, startBrowser, type TestBrowser } from "../support/clients/browser.ts";
import { notices } from "../support/texts/notices.ts";

/** The rules of axe, and those of them that judge colours and sizes. The others find the same in every look of a page. */
const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const RULES_OF_LOOKS = {
  type: "rule",
  values: ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"],
};
const LOOKS = [
  { width: 1280, colours: "light", rules: ALL_RULES },
  { width: 768, colours: "dark", rules: null },
  { width: 360, colours: "dark", rules: RULES_OF_LOOKS },
  { width: 320, colours: "light", rules: null },
] as const;

const board = useTestBoard();
let chromium: TestBrowser;
beforeAll(async () => {
  chromium = await startBrowser();
});
afterAll(() => chromium?.close());

// A failed test runs once more: on a busy machine a browser may be late with work that ends without an event.
describe("pages in a browser", { retry: 1 }, () => {
  let pages: Record<string, string>;
  beforeAll(async () => {
    const made = await notices(board);
    const long = await longEvent(board);
    pages = {
      home: "/",
      "search-words": "/search?q=jazz&near=52.52,13.4&radius_km=25",
      "search-nothing": "/search?q=jazz&kind=request&near=52.52,13.4&radius_km=5",
      "post-event": `/p/${made.event}`,
      "post-long": `/p/${long}`,
      "post-thread": `/p/${made.thread}`,
      "post-flagged": `/p/${made.flagged}`,
      "post-arabic": `/p/${made.arabic}`,
      publisher: `/publishers/${made.publisher}`,
      calendar: `/calendar?month=${new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 7)}`,
      weeks: "/calendar?near=Berlin",
      tags: "/tags",
      places: "/places",
      docs: "/docs",
      "docs-posts": "/docs/posts",
      stats: "/stats",
      join: "/join",
      terms: "/terms",
      "gone-post": "/p/nothere",
      "search-wrong": "/search?near=nowhere",
    };
  });
  it("have no faults in any look: no sideways scrolling, no error, no foreign request, no finding of axe", async () => {
    // One tab shows them all: each new one is a process, which reads axe anew.
    const page = await chromium.open();
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(board.url + path);
      for (const { width, colours, rules } of LOOKS) {
        const look = `${name}, ${colours} at ${width} px`;
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: colours });
        expect(await overflow(page), look).toBe(0);
        if (rules !== null) expect(await axeProblems(page, rules), look).toEqual([]);
      }
      // For the console, the page of a failure is a failed request.
      expect(
        chromium.complaints().filter((each) => !/status of 40[04]/.test(each)),
        name,
      ).toEqual([]);
    }
    await page.close();
  });

  describe.each([
    ["with", true],
    ["without", false],
  ] as const)("%s JavaScript", (_word, javaScript) => {
    let browser: TestBrowser;
    beforeAll(async () => {
      browser = await chromium.beside({ javaScript });
    });
    afterEach(() => expect(browser.complaints()).toEqual([]));
    afterAll(() => browser?.close());

    it("lead from a search over filters and pages to a post, and take a report", async () => {
      const page = await browser.open();
      await page.goto(board.url);
      await page.getByLabel("What", { exact: true }).fill("walk lanterns canal museum garden chess library");
      await page.getByLabel("Where", { exact: true }).fill("52.52,13.4");
      await follow(page, page.getByRole("button", { name: "Search" }));
      await page.getByLabel("Within").selectOption("50 km");
      await page.getByLabel("Order").selectOption("Newest");
      await follow(page, page.getByRole("button", { name: "Apply" }));
      expect(new URL(page.url()).searchParams.get("radius_km")).toBe("50");
      expect(new URL(page.url()).searchParams.get("near")).toBe("52.52,13.4");
      expect(page.url()).not.toContain("after=");

      await page.goto(`${board.url}/search?near=52.52,13.4&radius_km=50`);
      const first = await page.locator(".slip h3").allTextContents();
      await follow(page, page.getByRole("link", { name: "Next page" }));
      const second = await page.locator(".slip h3").allTextContents();
      expect(first).toHaveLength(20);
      expect(second.length).toBeGreaterThan(0);
      expect(second.filter((title) => first.includes(title))).toEqual([]);
      await follow(page, page.getByRole("link", { name: "First page" }));
      expect(await page.locator(".slip h3").allTextContents()).toEqual(first);

      await follow(page, page.locator(".slip h3 a").first());
      expect(await page.locator("h1").textContent()).toBe(first[0]);
      await page.getByRole("link", { name: "Report", exact: true }).click();
      await page.getByLabel("What is wrong?").selectOption("Spam");
      await page.getByLabel("Details (optional)").fill("Posted every day.");
      await follow(page, page.getByRole("button", { name: "Report" }));
      expect(await page.locator("h1").textContent()).toBe("Thank you");
      await page.close();
    });

    it("offer the snippet for an agent to copy", async () => {
      const page = await browser.open();
      await page.goto(board.url);
      const snippet = page.locator("pre.copy").first();
      const text = `claude mcp add --transport http board ${board.url}/mcp`;
      expect(await snippet.textContent()).toBe(text);
      const buttons = page.getByRole("button", { name: /^Copy/ });
      if (javaScript) {
        await buttons.first().click();
        await expect.poll(() => buttons.first().textContent()).toBe("Copied");
        expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
      } else {
        expect(await buttons.count()).toBe(0);
      }
      await page.close();
    });

    it("change colours, and keep the choice when scripts run", async () => {
      const page = await browser.open();
      await page.goto(board.url);
      const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(await paper()).toBe("rgb(251, 248, 241)");
      await page.getByLabel("Dark").check();
      await expect.poll(paper).toBe("rgb(20, 22, 26)");
      await page.goto(`${board.url}/search`);
      expect(await paper()).toBe(javaScript ? "rgb(20, 22, 26)" : "rgb(251, 248, 241)");
      await page.getByLabel("Auto").check();
      await expect.poll(paper).toBe("rgb(251, 248, 241)");
      await page.close();
    });
  });

  describe("for everyone", () => {
    it("begin with a link to the content for keyboard users", async () => {
      const page = await chromium.open();
      await page.goto(board.url);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.url()).toContain("#main");
      await page.close();
    });

    it("tell when and where an event is on the first screen of a telephone", async () => {
      const phone = await chromium.beside({ width: 360, height: 640 });
      const page = await phone.open();
      await page.goto(board.url + (pages["post-event"] ?? ""));
      expect(await page.locator(".sheet .facts").textContent()).toContain("Riverside Park, Berlin");
      for (const name of ["post-event", "post-long"]) {
        await page.goto(board.url + (pages[name] ?? ""));
        const box = await page.locator(".sheet .facts").boundingBox();
        expect(box?.y, name).toBeGreaterThan(0);
        expect((box?.y ?? 0) + (box?.height ?? 0), name).toBeLessThan(640);
      }
      await phone.close();
    });

    it("have today's and the weekend's events, and an event's link, on the first screen of a telephone", async () => {
      const wednesday = Date.parse("2026-11-25T12:00:00Z");
      const town = await startBoard({}, { clock: () => wednesday });
      const { key } = await register(town);
      const event = (title: string, starts_at: string) =>
        write(town, key, { kind: "event", title, starts_at, url: "https://culture.example/tickets" });
      const { id } = await event("Concert", "2026-11-25T19:00:00Z");
      await event("Brunch", "2026-11-28T10:00:00Z");
      const phone = await chromium.beside({ width: 360, height: 640 });
      const page = await phone.open();
      const endOf = async (name: string | RegExp) => {
        const box = await page.getByRole("link", { name }).first().boundingBox();
        return (box?.y ?? 640) + (box?.height ?? 0);
      };
      await page.goto(town.url);
      expect(await endOf("Concert")).toBeLessThan(640);
      expect(await endOf("Brunch")).toBeLessThan(640);
      await page.goto(`${town.url}/p/${id}`);
      expect(await endOf(/culture\.example/)).toBeLessThan(640);
      await phone.close();
      await town.stop();
    });

    it("respect forced colours, reduced motion and print", async () => {
      const page = await chromium.open();
      await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
      await page.goto(board.url + (pages["search-words"] ?? ""));
      expect(await axeProblems(page)).toEqual([]);
      await page.goto(`${page.url()}#watch`);
      expect(await page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")).toBe("auto");
      await page.emulateMedia({ media: "print", forcedColors: "none" });
      await page.goto(board.url + (pages["post-event"] ?? ""));
      for (const gone of ["nav", ".forms", "#report", ".theme"]) {
        expect(await page.locator(gone).isVisible(), gone).toBe(false);
      }
      expect(await page.locator("h1").isVisible()).toBe(true);
      await page.close();
    });
  });
});

describe("the box that takes a place", () => {
  let visitor: TestBrowser;
  beforeAll(async () => {
    visitor = await chromium.beside({ width: 360 });
  });

  it("suggests places while a person types, and searches near the one chosen", async () => {
    const page = await visitor.open();
    await page.goto(`${board.url}/search`);
    const box = page.getByLabel("Where", { exact: true });
    const suggested = () =>
      page.locator("#places option").evaluateAll((all) => all.map((option) => option.getAttribute("value")));
    await box.pressSequentially("berl");
    await expect.poll(suggested).toContain("Berlin, Germany");
    await box.fill("wien");
    await expect.poll(suggested).toContain("Vienna, Austria");
    expect(await page.locator('#places option[value="Vienna, Austria"]').getAttribute("label")).toBe("wien");

    await box.fill("Berlin, Germany");
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Search" }).click()]);
    expect(new URL(page.url()).searchParams.get("near")).toBe("Berlin, Germany");
    expect(await page.getByText("within 25 km of Berlin, Germany").count()).toBe(1);
    expect(visitor.complaints()).toEqual([]);
    await page.close();
  });

  it("asks for no suggestion to coordinates or a single letter", async () => {
    const page = await visitor.open();
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/places") asked.push(searchParams.get("q") ?? "");
    });
    await page.goto(`${board.url}/search`);
    const box = page.getByLabel("Where", { exact: true });
    for (const text of ["b", "52.52,13.4", "-33.9,18.4"]) {
      await box.fill(text);
      await page.waitForTimeout(400);
    }
    await box.fill("ham");
    await expect.poll(() => asked).toEqual(["ham"]);
    await page.close();
  });
});

/** An event with words, names and addresses that are longer than a line; resolves to its id. */
async function longEvent(board: TestBoard): Promise<string> {
  const { key } = await register(board, "Donaudampfschifffahrtselektrizitätengesellschaft für Kultur");
  const post = await write(board, key, {
    kind: "event",
    title: `Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz: öffentliche Anhörung, ${"Diskussion, ".repeat(9)}Ende`,
    body: `${prose().replaceAll(" ", "")}\nhttps://example.org/${"long/".repeat(60)}`,
    link: `https://example.org/${"z".repeat(300)}`,
    source_url:
      "https://a-very-long-subdomain-name.of-another-long-name.kulturveranstaltungen.example.org/path",
    tags: ["kraftfahrzeughaftpflichtversicherung"],
    location: {
      name: "Gemeindeverwaltungsverbandsversammlungssaal, Llanfairpwllgwyngyll",
      lat: 53.2,
      lng: -4.2,
    },
    starts_at: new Date(Date.now() + 40 * 86_400_000).toISOString(),
    ends_at: new Date(Date.now() + 60 * 86_400_000).toISOString(),
    timezone: "America/Argentina/ComodRivadavia",
    metadata: { key: "v".repeat(200) },
  });
  return post.id;
}

/** Clicks a link to another page and waits for that page; a click itself does not wait. */
async function follow(page: Page, target: Locator): Promise<void> {
  const arrived = page.waitForEvent("load");
  await target.click();
  await arrived;
}

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

/**
 * What axe finds. It is put into a page once and runs there; `AxeBuilder` does that again for each reading, and reports in a
 * page of its own.
 */
async function axeProblems(page: Page, runOnly: object = ALL_RULES): Promise<string[]> {
  if (await page.evaluate("window.axe === undefined")) {
    await page.evaluate(new AxeBuilder({ page })["script"]());
  }
  const options = { runOnly, resultTypes: ["violations"] };
  const found = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Violations>(found);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}
