import { writeFile } from "node:fs/promises";
import { manualText } from "../adapters/reference/manual.ts";
import { loadCatalog } from "../catalog.ts";
import { Site } from "../domain/site.ts";

/** `npm run manual`: writes `llms.txt` beside `package.json`, with the links of a board on its default address. */
const file = new URL("../../llms.txt", import.meta.url);
await writeFile(file, manualText(await loadCatalog(), new Site("http://localhost:8787")));
