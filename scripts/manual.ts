/**
 * `npm run manual` renews every file that is generated from the operations. The links in `llms.txt` are those of a board on
 * its default address; the answers that `/docs` prints come from a board that runs for it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { manualText } from "../src/adapters/reference/manual.ts";
import { loadCatalog } from "../src/board/catalog.ts";
import { Site } from "../src/domain/site.ts";
import { securityTests } from "./mutations/table.ts";
import { recordAnswers, told } from "./recorded/answers.ts";
import { CATALOG_FILE, catalogText } from "./recorded/catalog.ts";

const root = new URL("../", import.meta.url);
const catalog = await loadCatalog();
await writeFile(new URL("llms.txt", root), manualText(catalog, new Site("http://localhost:8787")));
await writeFile(new URL("docs/security-tests.md", root), securityTests());
await writeFile(CATALOG_FILE, catalogText(catalog));
const file = new URL("src/data/recorded-answers.json", root);
const known = await readFile(file, "utf8").catch(() => "{}");
const answers = await recordAnswers();
/** Tells which members answers have: `/docs` prints none that is null. What is counted of a run has others at each. */
const membersOf = ({ read_metrics: _, ...some }: Record<string, unknown>) =>
  JSON.stringify(some, (_name, value) => (typeof value === "object" && value !== null ? value : 0));
const before = JSON.parse(known);
// Counts and times differ from run to run; only what `/docs` prints of an answer counts, and its members.
if (told(before) !== told(answers) || membersOf(before) !== membersOf(answers))
  await writeFile(file, `${JSON.stringify(answers, null, 2)}\n`);
