import { getEncoding } from "js-tiktoken";
import { servedTools } from "../src/adapters/mcp-tools.ts";
import { loadCatalog } from "../src/catalog.ts";

const enc = getEncoding("o200k_base");
const n = (x: unknown) => enc.encode(JSON.stringify(x)).length;
const { tools } = await loadCatalog();
const list = [...servedTools(tools).values()].map((t) => t.listed);
for (const t of list) console.log(t.name, n(t.inputSchema), n(t.outputSchema), n(t));
console.log(n({ tools: list }));
console.log(JSON.stringify(list.map((t) => t.inputSchema)));
console.log(JSON.stringify(list.map((t) => t.outputSchema)));
