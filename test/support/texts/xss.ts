import { readFileSync } from "node:fs";

const { pages, feeds } = JSON.parse(
  readFileSync(new URL("hostile-texts.json", import.meta.url), "utf8"),
) as Record<"pages" | "feeds", readonly string[]>;

/**
 * Texts that have run as scripts, broken out of attributes, elements and comments, or changed what a page shows
 * elsewhere. None may have any effect in anything the board answers. From the classes of the OWASP cheat sheet on filter
 * evasion, of html5sec, and of reports on Markdown, SVG, feeds and bidi text.
 */
export const HOSTILE_TEXTS = pages;

/** Texts that become active content wherever one of the usual escapes is missing: elements, attributes, URLs, CDATA, JSON, templates. */
export const HOSTILE_MARKUP = feeds;
