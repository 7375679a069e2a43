import { parseUrl } from "../platform/parse-url.ts";

/**
 * These parameters identify a click, a campaign or a sender, and not the page: those of Google, Meta, Microsoft, Yandex, X,
 * TikTok, LinkedIn, Pinterest, Mailchimp, HubSpot, Marketo, Vero, Omeda, Adobe, Drip, Klaviyo, Matomo and Openstat, which
 * Firefox, Brave and ClearURLs strip; and those by which sites and apps say who shared a link.
 */
const TRACKING =
  /^(?:(?:utm|mtm|pk|piwik|matomo|hsa|stm|ga)_.*|_g[al]|gclid|gclsrc|dclid|gbraid|wbraid|gad_.*|srsltid|fbclid|fb_.*|igsh(?:id)?|msclkid|ya?s?clid|twclid|ref_(?:src|url)|ttclid|li_fat_id|epik|mc_[ce]id|_hs(?:enc|mi)|__hs.*|hsctatracking|mkt_tok|vero_(?:id|conv)|oly_(?:anon|enc)_id|s_cid|cmpid|icid|__s|_kx|_openstat|wickedid|rb_clickid|irclickid|cjevent|ref|via|si|source|__twitter_impression)$/i;

/** Gives the words of a title or name in one form, however they are written: in lower case, without punctuation. */
export const plainWords = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/**
 * Names the page of a `source_url`, the same for every way of linking to it: without scheme, `www.` or `m.`, default port,
 * trailing slash or `index.html`, fragment and tracking parameters, its host in lower case and its parameters in order.
 *
 * @returns null for a text that is no web address
 */
export function sourceKey(url: string): string | null {
  const parsed = parseUrl(url);
  if (parsed === null) return null;
  const { protocol, host, pathname, searchParams } = parsed;
  if (protocol !== "https:" && protocol !== "http:") return null;
  const kept = [...searchParams].filter(([name]) => !TRACKING.test(name));
  const query = new URLSearchParams(kept);
  query.sort();
  const page = `${host.replace(/^(?:www|m)\./, "")}${pathname.replace(/\/index\.html?$/i, "").replace(/\/+$/, "")}`;
  return kept.length === 0 ? page : `${page}?${query}`;
}
