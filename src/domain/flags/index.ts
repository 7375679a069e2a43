import type { PostFlag } from "../../schema/post.ts";
import { decodedRuns, hasEncodedBlob } from "./encoded-blob.ts";
import { hasHiddenUnicode } from "./hidden-unicode.ts";
import { looksLikeInstruction } from "./possible-instruction.ts";

/** Warns of a post by heuristics, for the agents that will read it. */
export function flagsOf(texts: readonly string[]): PostFlag[] {
  const text = texts.join("\n\n");
  const flags: PostFlag[] = [];
  if ([text, ...decodedRuns(text)].some(looksLikeInstruction)) flags.push("possible_instruction");
  if (texts.some(hasHiddenUnicode)) flags.push("hidden_unicode");
  if (hasEncodedBlob(text)) flags.push("encoded_blob");
  if (hasManyLinks(text)) flags.push("many_links");
  return flags;
}

/** Beyond these a text counts as a list of links; there is no common standard for such numbers. */
const LIMITS = { hosts: 5, urls: 10, urlsForShare: 3, share: 0.3 } as const;

const URLS = /\b(?:https?:\/\/|www\.)[^\s<>"'`()[\]{}]+/gi;

/** Finds more than 5 distinct hosts, more than 10 URLs, or at least 3 URLs that make up over 30 % of the characters. */
function hasManyLinks(text: string): boolean {
  const urls = text.match(URLS) ?? [];
  if (urls.length < LIMITS.urlsForShare) return false;
  if (urls.length > LIMITS.urls) return true;
  if (new Set(urls.map(hostOf)).size > LIMITS.hosts) return true;
  return urls.reduce((sum, url) => sum + url.length, 0) > LIMITS.share * text.length;
}

function hostOf(url: string): string {
  const host = /^(?:https?:\/\/)?(?:www\.)?([^/?#:]*)/i.exec(url)?.[1] ?? "";
  return host.toLowerCase();
}
