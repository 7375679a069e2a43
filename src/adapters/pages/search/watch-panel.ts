import type { Site } from "../../../domain/site.ts";
import { type Html, href, html, postCommand } from "../frame/html.ts";
import { calendarLinks } from "../frame/layout.ts";

/** These parameters only order or page results. */
const NOT_STANDING: ReadonlySet<string> = new Set(["sort", "limit", "rerank"]);
const DEFAULTS: Readonly<Record<string, unknown>> = {
  include_replies: false,
  include_expired: false,
  include_syndicated: true,
};

/** Shows ways to hear of later matches. */
export function watchSection(query: Readonly<Record<string, unknown>>, site: Site): Html {
  const standing = Object.fromEntries(
    Object.entries(query).filter(([name, value]) => !NOT_STANDING.has(name) && DEFAULTS[name] !== value),
  );
  const params = Object.fromEntries(Object.entries(standing).map(([name, value]) => [name, String(value)]));
  const links = [
    ["/feed.xml", "RSS"],
    ["/feed.atom", "Atom"],
    ["/feed.json", "JSON Feed"],
  ] as const;
  return html`<section id="watch"><h2>Watch this search</h2>
<p>New matches in your reader or calendar:</p>
<ul class="inline">${links.map(([path, words]) => html`<li><a href="${href(path, params)}">${words}</a></li>`)}${calendarLinks(site, params)}</ul>
${
  Object.keys(standing).length > 0 &&
  html`<p>Or as a subscription of your agent, by webhook or to poll:</p>
${postCommand("command that saves this search", `${site.api}/subscriptions`, { query: standing })}`
}</section>`;
}
