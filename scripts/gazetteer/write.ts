/** `npm run gazetteer`: writes `src/data/places.jsonl.br` anew, from the package and the lists of names beside this file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { builtPlaces } from "./build.ts";

const file = join(import.meta.dirname, "../../src/data/places.jsonl.br");
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const bytes = brotliCompressSync(builtPlaces(), { params });
writeFileSync(file, bytes);
console.log(`${file}: ${bytes.length} bytes`);
