import { newApiKey } from "../../src/domain/secrets.ts";
import { prose } from "../../test/support/texts/prose.ts";
import type { Described, Draft } from "./requests.ts";
import { type Json, Known } from "./values.ts";

const KEPT_IDS = 30;
/** Posts and subscriptions that the first two publishers always have. */
const OWNED_MIN = 3;

type Who = "first" | "second" | "third";

/** What the answers have shown of the board: ids, cursors, and the keys of three publishers. */
export class World {
  readonly #api: string;
  readonly #hook: string;
  readonly #keys: Record<Who, string> = { first: "", second: "", third: "" };
  #ids: { kind: Known["kind"]; id: string; owner: Draft["key"] }[] = [];
  #written = 0;

  constructor(api: string, hook: string) {
    this.#api = api;
    this.#hook = hook;
  }

  /** Restores what earlier requests took away: keys, and a few posts and subscriptions of the first two. */
  async settle(): Promise<void> {
    for (const who of Object.keys(this.#keys) as Who[]) {
      if (this.#keys[who] === "") {
        const { data } = await this.#write(null, "/publishers", { name: who, accept_terms: true });
        this.#keys[who] = data.api_key;
        this.#note("publisher", data.id, who);
      }
      if (who === "third") continue;
      while (this.#owned("post", who).length < OWNED_MIN) {
        this.#written += 1;
        const title = `${WORDS[this.#written % WORDS.length]} ${this.#written}`;
        const { data } = await this.#write(who, "/posts", { title, body: prose(), kind: "offer" });
        this.#note("post", data.id, who);
      }
      while (this.#owned("subscription", who).length < OWNED_MIN) {
        const query = { kind: "offer" };
        const { data } = await this.#write(who, "/subscriptions", { query, webhook_url: this.#hook });
        this.#note("subscription", data.id, who);
      }
    }
  }

  requestOf({ method, server, path }: Described, draft: Draft): { url: string; init: RequestInit } {
    const real = (value: Json) => this.#real(value, draft.key);
    const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => pathPart(real(draft.path[name])));
    const query = draft.query.flatMap(([name, value]) => {
      const sent = real(value);
      return (Array.isArray(sent) ? sent : [sent]).map((one) => `${encoded(name)}=${encoded(asText(one))}`);
    });
    const headers: Record<string, string> = { ...draft.headers };
    const key = this.#keyOf(draft.key);
    if (key !== null) headers["authorization"] = `Bearer ${key}`;
    const { body } = draft;
    if (body !== null) headers["content-type"] = "json" in body ? "application/json" : body.type;
    return {
      url: `${server}${filled}${query.length === 0 ? "" : `?${query.join("&")}`}`,
      init: {
        method,
        headers,
        redirect: "manual",
        ...(body === null ? {} : { body: "json" in body ? JSON.stringify(real(body.json)) : body.text }),
      },
    };
  }

  /** What a draft asks, as the arguments of a tool. */
  argumentsOf({ path, query, body, key }: Draft): Record<string, Json> {
    const real = (value: Json) => this.#real(value, key);
    const json = body !== null && "json" in body ? real(body.json) : {};
    const asked = Object.fromEntries(
      [...Object.entries(path), ...query].map(([name, value]) => [name, real(value)]),
    );
    return { ...asked, ...(typeof json === "object" && json !== null && !Array.isArray(json) ? json : {}) };
  }

  /** Notes what an answer reveals: new ids and cursors, lost ones, a changed key. */
  async learn(operation: Described, { key, path }: Draft, response: Response, text: string): Promise<void> {
    const { id, method } = operation;
    const asked = path["id"] instanceof Known ? this.#real(path["id"], key) : null;
    if (response.status === 404 || (method === "DELETE" && response.ok)) {
      this.#ids = this.#ids.filter((one) => one.id !== asked || one.owner !== key);
    }
    if (response.ok && text.startsWith("{")) {
      const { data, next_cursor: cursor } = JSON.parse(text) as Json;
      if (typeof cursor === "string") this.#note("cursor", cursor, key);
      if (id === "create_post") this.#note("post", data.id, key);
      if (id === "subscribe") this.#note("subscription", data.id, key);
      if (id === "register_publisher") this.#note("publisher", data.id, null);
      if (key !== null && key in this.#keys) {
        if (id === "rotate_key") this.#keys[key as Who] = data.api_key;
        if (id === "erase_publisher") {
          this.#keys[key as Who] = "";
          this.#ids = this.#ids.filter(({ owner }) => owner !== key);
        }
      }
    }
    await this.settle();
  }

  async #write(who: Who | null, path: string, body: object): Promise<Json> {
    const response = await fetch(this.#api + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(who === null ? {} : { authorization: `Bearer ${this.#keys[who]}` }),
      },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Json;
    if (!response.ok) throw new Error(`setting up: ${JSON.stringify(answer)}`);
    return answer;
  }

  #note(kind: Known["kind"], id: string, owner: Draft["key"]): void {
    const alike = this.#owned(kind, owner);
    if (alike.some((one) => one.id === id)) return;
    this.#ids.push({ kind, id, owner });
    if (alike.length >= KEPT_IDS) this.#ids.splice(this.#ids.indexOf(alike[0] as never), 1);
  }

  #owned(kind: Known["kind"], owner: Draft["key"]) {
    return this.#ids.filter((one) => one.kind === kind && one.owner === owner);
  }

  #keyOf(who: Draft["key"]): string | null {
    if (who === null) return null;
    if (who === "mistyped") return `${this.#keys.first.slice(0, -1)}!`;
    return who === "unknown" ? UNKNOWN_KEY : this.#keys[who];
  }

  /** Three of four become something of the caller's own. */
  #real(value: Json, caller: Draft["key"]): Json {
    if (value instanceof Known) {
      if (value.kind === "hook") return this.#hook;
      const own = this.#owned(value.kind, caller);
      const all = this.#ids.filter(({ kind }) => kind === value.kind);
      const choice = value.pick % 4 !== 0 && own.length > 0 ? own : all;
      return choice[value.pick % Math.max(1, choice.length)]?.id ?? "7fKm3Qx9Rt";
    }
    if (Array.isArray(value)) return value.map((one) => this.#real(one, caller));
    if (typeof value !== "object" || value === null) return value;
    const copy = {};
    for (const [name, one] of Object.entries(value)) {
      Object.defineProperty(copy, name, { value: this.#real(one, caller), enumerable: true });
    }
    return copy;
  }
}

/** Well-formed but nobody's, so that the store is asked for it. */
const UNKNOWN_KEY = newApiKey();
const WORDS = ["bicycle", "piano", "garden", "tickets", "lamp", "ladder", "tent", "violin", "kayak", "oven"];

/** One segment of a path. An encoded blank keeps an empty text, `.` or `..` from changing the path. */
function pathPart(value: Json): string {
  const text = asText(value);
  return text === "" || text === "." || text === ".." ? `%20${text}` : /^%/.test(text) ? text : encoded(text);
}

const asText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

/** Short enough for Node, which itself answers heads beyond 16 KiB before any board sees them. */
const encoded = (text: string) => encodeURIComponent(text.slice(0, 250).toWellFormed());
