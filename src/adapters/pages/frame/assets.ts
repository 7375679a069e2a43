import { createHash } from "node:crypto";
import { Router } from "express";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** A sheet of paper pinned to a board. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#fffdf8" stroke="#1d1b16" stroke-width="2" d="M5 4h22v24l-4-3-4 3-4-3-4 3-6-4z"/><path stroke="#8a8272" stroke-width="2" d="M10 15h12M10 20h8"/><circle cx="16" cy="7" r="4" fill="#a83a1e"/></svg>`;

interface Asset {
  /** Contains a hash of the content, so that browsers may keep it for good. */
  path: string;
  type: string;
  text: string;
}

/** The three files that pages load, all from this site. */
export const ASSETS = {
  style: asset("style", "css", "text/css", STYLE),
  script: asset("script", "js", "text/javascript", SCRIPT),
  icon: asset("icon", "svg", "image/svg+xml", ICON),
} as const;

export function assetRoutes(): Router {
  const router = Router({ caseSensitive: true });
  for (const { path, type, text } of Object.values(ASSETS)) {
    router.get(path, (_request, response) => {
      response.set({
        "Content-Type": `${type}; charset=utf-8`,
        "Cache-Control": "public, max-age=31536000, immutable",
      });
      response.send(text);
    });
  }
  return router;
}

function asset(name: string, extension: string, type: string, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 10);
  return { path: `/${name}-${hash}.${extension}`, type, text };
}
