/**
 * Draws the picture of the site that cannot be SVG, with Chromium, into `src/data/pages`: `npm run pictures`. It is the icon
 * on the home screen of a telephone and on link cards, of 180 × 180 pixels.
 */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ICON } from "../src/adapters/pages/frame/assets.ts";
import { startBrowser } from "../test/support/clients/browser.ts";

const FOLDER = resolve(import.meta.dirname, "../src/data/pages");
const STYLE =
  "margin:0;background:#fbf8f1;color:#1d1b16;display:flex;align-items:center;justify-content:center";

const SIZE = 180;

const browser = await startBrowser();
const page = await browser.open();
await page.setViewportSize({ width: SIZE, height: SIZE });
const icon = ICON.replace("<svg ", '<svg width="150" height="150" ');
await page.setContent(`<body style="${STYLE};height:${SIZE}px">${icon}</body>`);
await writeFile(resolve(FOLDER, "touch-icon.png"), await page.screenshot());
await browser.close();
