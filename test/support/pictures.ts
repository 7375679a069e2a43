/**
 * Draws the pictures of the site that cannot be SVG, with Chromium, into `src/adapters/pages/frame/pictures.ts`:
 * `npm run pictures`.
 */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ICON } from "../../src/adapters/pages/frame/assets.ts";
import { startBrowser } from "./clients/browser.ts";

const TARGET = resolve(import.meta.dirname, "../../src/adapters/pages/frame/pictures.ts");
const STYLE =
  "margin:0;background:#fbf8f1;color:#1d1b16;display:flex;align-items:center;justify-content:center";

const browser = await startBrowser();

async function drawn(width: number, height: number, content: string): Promise<string> {
  const page = await browser.open();
  await page.setViewportSize({ width, height });
  await page.setContent(`<body style="${STYLE};height:${height}px">${content}</body>`);
  const picture = await page.screenshot();
  await page.close();
  return picture.toString("base64");
}

const icon = (size: number) => ICON.replace("<svg ", `<svg width="${size}" height="${size}" `);
const touch = await drawn(180, 180, icon(150));
const social = await drawn(
  600,
  315,
  `${icon(130)}<div style="font:700 44px Georgia,serif;margin-left:28px">Agent Board</div>`,
);
await browser.close();
await writeFile(
  TARGET,
  `// Written by test/support/pictures.ts.

/** The icon on the home screen of a telephone: a PNG of 180 × 180 pixels, in Base64. */
export const TOUCH_ICON =
  "${touch}";

/** The picture of link cards: a PNG of 600 × 315 pixels, in Base64. */
export const SOCIAL_PICTURE =
  "${social}";
`,
);
