import { parseUrl } from "../parse-url.ts";

/**
 * What tells a link's click, campaign or sender, and nothing of the page: parameters of Google, Meta, Microsoft, Yandex, X,
 * TikTok, LinkedIn, Pinterest, Mailchimp, HubSpot, Marketo, Vero, Omeda, Adobe, Drip, Klaviyo, Matomo and Openstat, as
 * Firefox, Brave and ClearURLs strip them.
 */
const TRACKING =
  /^(?:(?:utm|mtm|pk|piwik|matomo|hsa|stm|ga)_.*|_g[al]|gclid|gclsrc|dclid|gbraid|wbraid|gad_.*|srsltid|fbclid|fb_.*|igsh(?:id)?|msclkid|ya?s?clid|twclid|ref_(?:src|url)|ttclid|li_fat_id|epik|mc_[ce]id|_hs(?:enc|mi)|__hs.*|hsctatracking|mkt_tok|vero_(?:id|conv)|oly_(?:anon|enc)_id|s_cid|cmpid|icid|__s|_kx|_openstat|wickedid|rb_clickid|irclickid|cjevent)$/i;

/** The words of a title or name, as two who write the same one differently write them. */
export const plainWords = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/**
 * The page that a `source_url` names, the same for every way of linking to it: without scheme, `www.`, default port, trailing
 * slash, fragment and tracking parameters, its host in lower case and its parameters in order.
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
  const page = `${host.replace(/^www\./, "")}${pathname.replace(/\/+$/, "")}`;
  return kept.length === 0 ? page : `${page}?${query}`;
}
