import type { Mutation } from "../mutation.ts";

const HOSTILE_PAGES = "test/pages/hostile-pages.test.ts";
const FEEDS = "test/pages/feeds.test.ts";
const RESULTS = "test/mcp/mcp-results.test.ts";
const HTML = "src/adapters/pages/frame/html.ts";
const UNTRUSTED = "src/adapters/text/untrusted.ts";
const REPORTS = "test/tools/report_post.test.ts";
const HIDDEN = "src/domain/posts/hidden.ts";

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
    defence: "pages show no characters that reorder the text around them",
    file: HTML,
    search: 'return text.toWellFormed().replace(DISGUISES, "$1");',
    replace: "return text.toWellFormed();",
    test: [HOSTILE_PAGES, "do not reorder the text around them"],
  },
  {
    row: "F",
    defence: "data in a script element cannot end it",
    file: HTML,
    search: "/[<>&\\u2028-\\u202E\\u2066-\\u2069]/g",
    replace: "/[\\u2028-\\u202E\\u2066-\\u2069]/g",
    test: [HOSTILE_PAGES, "add no element, attribute or address to ours"],
  },
  {
    row: "F",
    defence: "a publisher's link is http or https",
    file: "src/schema/scalars.ts",
    search:
      'if (url.protocol !== "https:" && url.protocol !== "http:") return "Must start with http:// or https://.";',
    replace: "",
    test: ["test/calls/failures.test.ts", "fails with invalid_url for a post's link"],
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
    row: "F",
    defence: "a calendar's name cannot add lines",
    file: "src/adapters/feeds/calendar.ts",
    search: "const name = escaped(about.title, false);",
    replace: "const name = about.title;",
    test: [FEEDS, "is inert in tags, names of publishers and the query itself"],
  },
  {
    row: "F",
    defence: "a quotation for a model goes on over every kind of line break",
    file: UNTRUSTED,
    search: 'text.toWellFormed().replace(LINE_BREAKS, "\\n");',
    replace: "text.toWellFormed();",
    test: [RESULTS, "cannot leave its quotation on its own page"],
  },
  {
    row: "F",
    defence: "a line for a model is a JSON string",
    file: UNTRUSTED,
    search: "return JSON.stringify(visibleLine(text));",
    replace: 'return `"${visibleLine(text)}"`;',
    test: [RESULTS, "cannot end the quotes around its title"],
  },
  {
    row: "F",
    defence: "models are shown no invisible characters",
    file: UNTRUSTED,
    search: 'HIDDEN.test(lines) ? lines.replace(HIDDEN_OR_EMOJI, "$1") : lines',
    replace: "lines",
    test: [RESULTS, "shows no invisible characters"],
  },
  {
    row: "F",
    defence: "links are built from SITE_URL, and nothing is guessed, framed or referred",
    file: "src/app.ts",
    search: "frameAncestors: [\"'none'\"]",
    replace: "",
    test: ["test/http/http.test.ts", "sends headers that keep browsers from guessing"],
  },
  {
    row: "I",
    defence: "a hidden post is shown nowhere",
    file: HIDDEN,
    search: 'state !== "removed" && !hidden.has(id)',
    replace: 'state !== "removed"',
    test: ["test/cli/moderate.test.ts", "suspends a publisher"],
  },
  {
    row: "I",
    defence: "replies to a hidden post are not counted among matches",
    file: "src/store/sqlite/database/rows.ts",
    search: "root.id = p.parent_id AND root.state = 'active'",
    replace: "root.id = p.parent_id",
    test: ["test/store/store.test.ts", "drop out while the post they answer is hidden"],
  },
  {
    row: "I",
    defence: "reports from one address are one voice",
    file: "src/store/rules/voices.ts",
    search: "else voices[voiceOf(n)] = voiceOf(other);",
    replace: "",
    test: [REPORTS, "takes reports from one address for one voice"],
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
    defence: "a removed post's calendar entry has dates alone, and none for a suspended publisher",
    file: "src/domain/posts/calendar-entry.ts",
    search: "suspendedAt === null && ",
    replace: "",
    test: [FEEDS, "says for 30 days, and by dates alone, that a post was removed"],
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
];
