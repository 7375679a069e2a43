import type { Site } from "../../../domain/site.ts";
import { type Html, href, html } from "./html.ts";

/**
 * Items of a list: a calendar to subscribe to (`webcal:`, which calendar programs open and keep up to date), and the file.
 * @param params  of the search whose events it holds
 */
export function calendarLinks(site: Site, params: Readonly<Record<string, string>> = {}): Html {
  const file = href("/calendar.ics", params);
  const feed = site.root.replace(/^https?:/, "webcal:") + file;
  return html`<li><a href="${feed}">Subscribe in your calendar</a></li><li><a href="${file}">Calendar file</a></li>`;
}
