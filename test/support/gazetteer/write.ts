/** `npm run gazetteer`: writes `src/data/places.jsonl.br` anew, from the package and the lists of names beside this file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtPlaces } from "./build.ts";

const file = join(import.meta.dirname, "../../../src/data/places.jsonl.br");
const bytes = builtPlaces();
writeFileSync(file, bytes);
console.log(`${file}: ${bytes.length} bytes`);
