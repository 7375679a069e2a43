import type { Mutation } from "../mutation.ts";

const HOSTILE_PAGES = "test/pages/hostile-pages.test.ts";
const FEEDS = "test/pages/feeds.test.ts";
const HTML = "src/adapters/pages/frame/html.ts";
const REPORTS = "test/tools/report_post.test.ts";

/** Rows F and I. */
export const TEXTS: readonly Mutation[] = [
  {
    row: "F",
    defence: "pages escape what is put into them",
    file: HTML,
    search: "return template(strings, ...pieces) as Html;",
    replace:
      'return rawHtml(strings.map((part, n) => part + [pieces[n] ?? ""].flat().join("")).join("")) as Html;',
    test: [HOSTILE_PAGES, "add no element, attribute or address to ours"],
  },
  {
    row: "F",
    defence: "feeds have no markup of a post",
    file: "src/adapters/feeds/text.ts",
    search: "text.replace(/[&<>\"']/g, (char) => ENTITIES[char] ?? char);",
    replace: "text;",
    test: [FEEDS, "is inert and unchanged, whatever mark-up it contains"],
  },
  {
    row: "F",
    defence: "feeds hold no characters that XML forbids",
    file: "src/adapters/feeds/text.ts",
    search: 'text.replace(ILLEGAL, "");',
    replace: "text;",
    test: [FEEDS, "characters forbidden in XML"],
  },
  {
    row: "I",
    defence: "addresses that one key speaks from are one voice with it",
    file: "src/store/rules/voices.ts",
    search: "[...new Set([...before, ...repeated])]",
    replace: "(before.length > 0 ? [...before] : [...repeated])",
    test: [REPORTS, "takes reports from one address for one voice"],
  },
  {
    row: "I",
    defence: "a household of IPv6 is one voice",
    file: "src/adapters/calls/dispatcher.ts",
    search: "const address = hashed(48);",
    replace: "const address = hashed(64);",
    test: [REPORTS, "takes reports from one address for one voice"],
  },
  {
    row: "I",
    defence: "instructions in disguise are read in the clear",
    file: "src/domain/flags/index.ts",
    search: "[text, ...decodedRuns(text)]",
    replace: "[text]",
    test: ["test/domain/flags.test.ts", "possible_instruction"],
  },
  {
    row: "I",
    defence: "hidden characters are flagged",
    file: "src/domain/flags/hidden-unicode.ts",
    search: "hasUnbalancedBidi(shown) || hasZeroWidth(shown)",
    replace: "hasUnbalancedBidi(shown)",
    test: ["test/domain/flags.test.ts", "hidden_unicode"],
  },
  {
    row: "E",
    defence: "markup of a feed is read to a bounded depth",
    file: "src/syndication/text.ts",
    search: "limits: { maxDepth: MARKUP_DEPTH_MAX },",
    replace: "limits: {},",
    test: ["test/syndication/formats.test.ts", "cannot cost more than some text by"],
  },
];
