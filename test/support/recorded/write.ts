/**
 * `npm run manual`: renews every file that is generated from the operations. The links in `llms.txt` are those of a board on its default address; the answers that `/docs` prints come
 * from a board that runs for it.
 */
import { writeFile } from "node:fs/promises";
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
await writeFile(CATALOG_FILE, catalogText(catalog));
const answers = answersModule(await recordAnswers());
await writeFile(new URL("src/adapters/reference/recorded-answers.ts", root), answers);
