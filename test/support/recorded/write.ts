/**
 * `npm run manual`: renews every file that is generated from the operations, and the tables that are computed from
 * measurements. The links in `llms.txt` are those of a board on its default address; the answers that `/docs` prints come
 * from a board that runs for it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { COMPUTED_PAGES, computed, INPUT_PAGE } from "../../../bench/scaling/page.ts";
import { manualText } from "../../../src/adapters/reference/manual.ts";
import { loadCatalog } from "../../../src/catalog.ts";
import { Site } from "../../../src/domain/site.ts";
import { securityTests } from "../../mutations/table.ts";
import { answersModule, recordAnswers } from "./answers.ts";
import { CATALOG_FILE, catalogText } from "./catalog.ts";

const root = new URL("../../../", import.meta.url);
const catalog = await loadCatalog();
await writeFile(new URL("llms.txt", root), manualText(catalog, new Site("http://localhost:8787")));
await writeFile(new URL("docs/security-tests.md", root), securityTests());
const inputs = await readFile(new URL(INPUT_PAGE, root), "utf8");
for (const page of COMPUTED_PAGES) {
  const file = new URL(page, root);
  await writeFile(file, computed(await readFile(file, "utf8"), inputs));
}
await writeFile(CATALOG_FILE, catalogText(catalog));
const answers = answersModule(await recordAnswers());
await writeFile(new URL("src/adapters/reference/recorded-answers.ts", root), answers);
