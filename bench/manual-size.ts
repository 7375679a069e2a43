/**
 * What do the board's texts cost a model: the list of tools, ten results of a search, the manual? Tokens
 * are counted with o200k_base; other models differ by a few percent.
 *
 *     npx tsx bench/manual-size.ts
 */
import { getEncoding } from "js-tiktoken";
import { answerOf } from "../src/adapters/mcp/results.ts";
import { servedTools } from "../src/adapters/mcp/tool-list.ts";
import { manualText } from "../src/adapters/reference/manual.ts";
import { loadCatalog } from "../src/catalog.ts";
import { Site } from "../src/domain/site.ts";
import type { Post } from "../src/schema/post.ts";

const encoding = getEncoding("o200k_base");
const tokensOf = (text: string) => encoding.encode(text).length;
const site = new Site("https://board.example");
const NOW = Date.parse("2026-11-20T12:00:00Z");

const TOPICS = [
  [
    "Repair café for bicycles and small machines",
    "Bring what is broken: we true wheels, mend punctures and solder cables together.",
  ],
  [
    "Choir for people who think they cannot sing",
    "We begin with breathing, go on with rounds, and end with soup in the kitchen next door.",
  ],
  [
    "Sourdough for beginners, with a starter to take home",
    "Two hours of mixing, folding and waiting; flour and tins are there, aprons are not.",
  ],
  [
    "Walk along the old harbour with a historian",
    "Six kilometres on even ground, with stops at the rope yard, the weigh house and the locks.",
  ],
  [
    "Open evening of the observatory",
    "If the sky is clear we look at Saturn; if not, there is a talk about meteorites.",
  ],
];

/** Ten posts as people write them: a few sentences, a place, a time, three tags. */
function realisticPosts(): Post[] {
  return Array.from({ length: 10 }, (_, i) => {
    const [title = "", body = ""] = TOPICS[i % TOPICS.length] ?? [];
    const day = String(10 + i);
    return {
      id: `7fKm3Qx9R${"abcdefghij".charAt(i)}`,
      url: site.post(`7fKm3Qx9R${"abcdefghij".charAt(i)}`),
      kind: "event",
      title,
      body: `${body} Everybody is welcome, no registration needed, donations go to the rent of the room. `.repeat(
        4,
      ),
      link: "https://neighbourhood.example/agenda",
      tags: ["neighbourhood", "beginners", "evening"],
      location: { name: "Amsterdam Westerpark", lat: 52.38, lng: 4.87 },
      starts_at: `2026-12-${day}T18:30:00.000Z`,
      ends_at: `2026-12-${day}T20:30:00.000Z`,
      timezone: "Europe/Amsterdam",
      expires_at: `2026-12-${Number(day) + 1}T20:30:00.000Z`,
      source_url: null,
      syndicated: i % 3 === 0,
      metadata: {},
      retrievals: 12,
      parent_id: null,
      thread_url: null,
      reply_count: i % 2,
      last_reply_at: null,
      flags: i === 9 ? ["many_links"] : [],
      created_at: "2026-11-18T08:00:00.000Z",
      updated_at: "2026-11-18T08:00:00.000Z",
      distance_km: 1.2 + i,
      relevance: 0.9,
      publisher: {
        id: "pub_4yTq8WnZ2kPv6R",
        name: "Neighbourhood House",
        description: null,
        url: "https://neighbourhood.example",
        domain: "neighbourhood.example",
        verified: true,
        first_seen: "2026-01-01T00:00:00.000Z",
        post_count: 20,
        crier_url: site.publisher("pub_4yTq8WnZ2kPv6R"),
      },
    };
  });
}

/** The size of each text. */
export async function measureTexts(): Promise<{ name: string; tokens: number; bytes: number }[]> {
  const catalog = await loadCatalog();
  const tools = servedTools(catalog);
  const search = tools.get("search");
  if (search === undefined) throw new Error("there is no search");
  const query = { q: "evening for beginners", limit: 10 };
  const data = realisticPosts();
  const [served] = search.operations;
  const answer = answerOf(
    { tool: search, served, sent: query, detail: "compact", now: NOW, site },
    {
      reply: { outcome: "ok", data },
      body: { ok: true, data, next_cursor: "eyJsIjoiYWJjZGVmIn0", meta: { query, ranking: "hybrid+rerank" } },
    },
  );
  const texts = {
    "tools/list, as a model is shown it": JSON.stringify(
      [...tools.values()].map(({ listed: { name, description, inputSchema } }) => ({
        name,
        description,
        inputSchema,
      })),
    ),
    "ten results": answer.text,
    "ten results, data": JSON.stringify(answer.data),
    "ten results, REST": JSON.stringify(data),
    "llms.txt": manualText(catalog, site),
  };
  return Object.entries(texts).map(([name, text]) => ({
    name,
    tokens: tokensOf(text),
    bytes: Buffer.byteLength(text),
  }));
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, tokens, bytes } of await measureTexts()) {
    console.log(`${name.padEnd(32)} ${String(tokens).padStart(6)} tokens ${String(bytes).padStart(7)} bytes`);
  }
}
