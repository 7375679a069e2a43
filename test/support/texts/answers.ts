import { answerText, type Call } from "../../../src/adapters/mcp/results.ts";
import { servedTools } from "../../../src/adapters/mcp/tool-list.ts";
import { loadCatalog } from "../../../src/board/catalog.ts";
import { Site } from "../../../src/domain/site.ts";
import type { Post } from "../../../src/schema/post.ts";

export const NOW = Date.parse("2026-12-01T12:00:00Z");
export const at = (ms: number) => new Date(NOW + ms).toISOString();
export const tools = servedTools(await loadCatalog());

export const aPost = (over: Partial<Post> = {}): Post => ({
  ...{
    id: "7fKm3Qx9Rt",
    url: "https://board.example/p/7fKm3Qx9Rt",
    kind: "event",
    title: "A fair",
    body: "Long.",
  },
  ...{
    link: null,
    tags: [],
    location: null,
    starts_at: null,
    ends_at: null,
    timezone: null,
    expires_at: at(1),
  },
  ...{ source_url: null, syndicated: false, metadata: {}, retrievals: 0, parent_id: null, thread_url: null },
  ...{ reply_count: 0, last_reply_at: null, flags: [], created_at: at(-9e9), updated_at: at(-9e9) },
  publisher: {
    ...{ id: "pub_a", name: "A", description: null, url: null, domain: null, verified: false },
    ...{ first_seen: at(-9e9), post_count: 1, crier_url: "https://board.example/publishers/pub_a" },
  },
  ...over,
});

export const AMSTERDAM = { lat: 52, lng: 4.9 } as NonNullable<Post["location"]>;

export const SITE = new Site("https://board.example");
export const UNSERVED = new Site("https://board.example", { isServed: false });

/** A call of a tool, or of another operation of it. */
export function callOf(name: string, over: Partial<Call> = {}, nth = 0): Call {
  const tool = tools.get(name);
  const served = tool?.operations[nth];
  if (tool === undefined || served === undefined) throw new Error(`no ${name}`);
  const call = { tool, served, sent: {}, detail: "compact", answers: "text", now: NOW } as const;
  return { ...call, site: SITE, sendsKey: false, ...over };
}

/** The answer to a call as a model reads it. */
export const textOf = (call: Call, data: unknown, meta: Record<string, unknown> = {}, next_cursor?: string) =>
  answerText(call, {
    reply: { outcome: "ok", data },
    body: { ok: true, data, meta, ...(next_cursor === undefined ? {} : { next_cursor }) },
  });
