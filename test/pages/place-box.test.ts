import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { startBrowser, type TestBrowser } from "../support/clients/browser.ts";

const LATE = { timeout: 20_000 };

describe("the box that takes a place", () => {
  let board: TestBoard;
  let browser: TestBrowser;
  beforeAll(async () => {
    board = await startBoard();
    browser = await startBrowser({ width: 360 });
  });
  afterAll(async () => {
    await browser?.close();
    await board?.stop();
  });

  it("suggests places while a person types, and searches near the one chosen", async () => {
    const page = await browser.open();
    await page.goto(`${board.url}/search`);
    const box = page.getByLabel("Near", { exact: true });
    const suggested = () =>
      page.locator("#places option").evaluateAll((all) => all.map((option) => option.getAttribute("value")));
    await box.pressSequentially("berl");
    await expect.poll(suggested, LATE).toContain("Berlin, Germany");
    await box.fill("wien");
    await expect.poll(suggested, LATE).toContain("Vienna, Austria");
    expect(await page.locator('#places option[value="Vienna, Austria"]').getAttribute("label")).toBe("wien");

    await box.fill("Berlin, Germany");
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Apply" }).click()]);
    expect(new URL(page.url()).searchParams.get("near")).toBe("Berlin, Germany");
    expect(await page.getByText("within 25 km of Berlin, Germany").count()).toBe(1);
    expect(browser.complaints()).toEqual([]);
    await page.close();
  });

  it("asks for no suggestion to coordinates or a single letter", async () => {
    const page = await browser.open();
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/places") asked.push(searchParams.get("q") ?? "");
    });
    await page.goto(`${board.url}/search`);
    const box = page.getByLabel("Near", { exact: true });
    for (const text of ["b", "52.52,13.4", "-33.9,18.4"]) {
      await box.fill(text);
      await page.waitForTimeout(400);
    }
    await box.fill("ham");
    await expect.poll(() => asked, LATE).toEqual(["ham"]);
    await page.close();
  });
});
