/**
 * Takes the picture of the README, `docs/pictures/search.webp`: a search on a board with the demo, as Chromium shows it.
 * `npm run pictures` runs it; it is not part of the package.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BoardProcess, boardEnvironment, PROGRAM } from "../test/support/boards/board-process.ts";
import { call, eventually } from "../test/support/boards/client.ts";
import { startBrowser } from "../test/support/clients/browser.ts";

const TARGET = resolve(import.meta.dirname, "../docs/pictures/search.webp");
const ASKED = "/search?q=web+developers+meet+in+Europe";

const folder = mkdtempSync(join(tmpdir(), "board-picture-"));
const environment = { DATA_DIR: folder, EMBEDDINGS: "auto" };
execFileSync(process.execPath, [...PROGRAM, "demo"], { env: boardEnvironment(environment) });
const board = await BoardProcess.start(environment);
const browser = await startBrowser({ width: 760, height: 520 });
try {
  const ranking = async () => (await call(board, `GET ${ASKED}`)).body.meta.ranking as string;
  await eventually(ranking, (name) => name.startsWith("hybrid"), 60_000);
  const page = await browser.open();
  await page.goto(board.site + ASKED);
  mkdirSync(resolve(TARGET, ".."), { recursive: true });
  const session = await browser.context.newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 50 });
  writeFileSync(TARGET, data, "base64");
} finally {
  await browser.close();
  await board.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
