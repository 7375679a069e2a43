import { notesOnCorrections } from "../../../domain/search/corrections.ts";
import type { Site } from "../../../domain/site.ts";
import { formPath } from "../../http/forms.ts";
import { soughtWords } from "../../text/excerpt.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { quotedLine, visibleLine } from "../../text/untrusted.ts";
import { postsMarkdown } from "../post/markdown.ts";
import { type SearchParams, searchPath } from "./form.ts";
import { countOf, type Results, WEAK_HEADING } from "./results.ts";

export function searchMarkdown(results: Results, params: SearchParams, site: Site, now: number): string {
  const { posts, weak, nextCursor, query, note, corrected, instead } = results;
  const q = typeof query["q"] === "string" ? query["q"] : undefined;
  const address = (change: SearchParams | Record<string, string | undefined>, of: SearchParams = params) =>
    site.root + searchPath(of, change).replace("/search", formPath("/search", ".md"));
  return markdownDocument([
    `# Search${q === undefined ? "" : `: ${quotedLine(q)}`}`,
    `As applied: \`${visibleLine(JSON.stringify(query)).replaceAll("`", "'")}\``,
    ...notesOnCorrections(corrected),
    note,
    posts.length === 0 ? "No posts." : `${countOf(results)}, ${results.ranking}.`,
    posts.length === 0
      ? instead
          .map(({ words, count, params: wider }) => `- ${words}: finds ${count}, ${address({}, wider)}`)
          .join("\n")
      : postsMarkdown(posts, site, now, soughtWords(q)),
    ...(weak.length === 0 ? [] : [`## ${WEAK_HEADING}`, postsMarkdown(weak, site, now, soughtWords(q))]),
    nextCursor === null ? null : `Next page: ${address({ cursor: nextCursor })}`,
  ]);
}
