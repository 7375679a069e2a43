import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Store } from "../ports/store/index.ts";
import { Feed, FeedState } from "./feed.ts";

const LIST = "feeds";
const stateName = (id: string) => `feed:${id}`;
const LEASE = "feeds";
const LEASE_MS = 10_000;
const RETRY_MS = 50;

/** The feeds that a board relays, kept among its settings: few and small. */
export class Feeds {
  readonly #store: Pick<Store, "settings" | "leases">;
  readonly #clock: () => number;

  constructor(store: Pick<Store, "settings" | "leases">, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  async all(): Promise<Feed[]> {
    const text = await this.#store.settings.get(LIST);
    return text === null ? [] : z.array(Feed).parse(JSON.parse(text));
  }

  async state(id: string): Promise<FeedState> {
    const text = await this.#store.settings.get(stateName(id));
    return FeedState.parse(JSON.parse(text ?? "{}"));
  }

  async keepState(id: string, state: FeedState): Promise<void> {
    await this.#store.settings.set(stateName(id), JSON.stringify(state));
  }

  /** Changes the list; no other process changes it meanwhile. */
  async change<T>(make: (feeds: Feed[]) => { feeds: Feed[]; result: T }): Promise<T> {
    const owner = randomUUID();
    while ((await this.#store.leases.acquire(LEASE, owner, LEASE_MS, this.#clock())) === null)
      await sleep(RETRY_MS);
    try {
      const { feeds, result } = make(await this.all());
      await this.#store.settings.set(LIST, JSON.stringify(feeds));
      return result;
    } finally {
      await this.#store.leases.release(LEASE, owner);
    }
  }
}
