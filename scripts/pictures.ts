/**
 * Draws the pictures of the site that cannot be SVG, with Chromium, into `src/data/pages`: `npm run pictures`.
 * The icon on the home screen of a telephone has 180 × 180 pixels, the picture of link cards 600 × 315.
 */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ICON } from "../src/adapters/pages/frame/assets.ts";
import { startBrowser } from "../test/support/clients/browser.ts";

const FOLDER = resolve(import.meta.dirname, "../src/data/pages");
const STYLE =
  "margin:0;background:#fbf8f1;color:#1d1b16;display:flex;align-items:center;justify-content:center";

const browser = await startBrowser();

async function draw(name: string, width: number, height: number, content: string): Promise<void> {
  const page = await browser.open();
  await page.setViewportSize({ width, height });
  await page.setContent(`<body style="${STYLE};height:${height}px">${content}</body>`);
  await writeFile(resolve(FOLDER, name), await page.screenshot());
  await page.close();
}

const icon = (size: number) => ICON.replace("<svg ", `<svg width="${size}" height="${size}" `);
await draw("touch-icon.png", 180, 180, icon(150));
await draw(
  "social.png",
  600,
  315,
  `${icon(130)}<div style="font:700 44px Georgia,serif;margin-left:28px">Agent Board</div>`,
);
await browser.close();
