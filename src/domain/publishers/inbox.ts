import type { Embedder } from "../../ports/embedder.ts";
import type { InboxEntry, Store, StoredPublisher } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { GonePost, InboxItem } from "../../schema/subscription.ts";
import { type Cursors, FULL_PAGE } from "../cursors.ts";
import type { Posts } from "../posts/index.ts";
import { changeResource, isoTime } from "../resources.ts";
import { placeSince, sinceOf } from "../since.ts";
import { withRelevance } from "../subscriptions/relevance.ts";

/** Lists together what concerns a publisher: replies to its posts, matches of its subscriptions, threads it joined. */
export class Inbox {
  readonly #store: Store;
  readonly #embedder: Embedder;
  readonly #cursors: Cursors;
  readonly #posts: Posts;

  constructor(parts: { store: Store; embedder: Embedder; cursors: Cursors; posts: Posts }) {
    this.#store = parts.store;
    this.#embedder = parts.embedder;
    this.#cursors = parts.cursors;
    this.#posts = parts.posts;
  }

  /**
   * Lists what came after the caller's watermark, oldest first. Nothing is consumed.
   *
   * @param page.since  where to begin without a cursor, see `sinceOf`
   * @returns `nextCursor` is the new watermark; an empty page gives back the cursor it was given, or that of the beginning
   * @throws BoardError `invalid_cursor`, `invalid_query`
   */
  async read(
    caller: StoredPublisher,
    page: { cursor: string | undefined; since?: string | undefined; limit: number },
    now: number,
  ): Promise<{ items: InboxItem[]; nextCursor: string; notes: string[]; hasNews: boolean }> {
    const list = `inbox ${caller.id}`;
    const after =
      this.#cursors.readNumber(list, page.cursor) ?? (await this.#placeOf(caller, page.since, now));
    const entries = await this.#store.inbox.read(caller.id, after, page.limit);
    const posts = await this.#withRelevance(entries, await this.#posts.told(entries, now));
    const isMatchOfReplies = await this.#matchesOfReplies(caller, entries);
    const items = entries.flatMap(({ type, at, subscriptionId, deliveryId, change }, n): InboxItem[] => {
      const post = posts[n];
      if (post === undefined || isMatchOfReplies(subscriptionId)) return [];
      const subscription = subscriptionId === null ? {} : { subscription_id: subscriptionId };
      const delivery = deliveryId === null ? {} : { delivery_id: deliveryId };
      const news = change === null ? {} : { change: changeResource(change) };
      return [{ type, at: isoTime(at), post, ...subscription, ...delivery, ...news }];
    });
    const last = entries.at(-1);
    const nextCursor =
      page.cursor !== undefined && last === undefined
        ? page.cursor
        : this.#cursors.write(list, [last?.no ?? after]);
    const notes = entries.length === page.limit ? [FULL_PAGE] : [];
    return { items, nextCursor, notes, hasNews: items.length > 0 };
  }

  async #placeOf(caller: StoredPublisher, since: string | undefined, now: number): Promise<number> {
    if (since === undefined) return 0;
    return placeSince(sinceOf(since, now), async (after) => {
      const [entry = null] = await this.#store.inbox.read(caller.id, after, 1);
      return entry;
    });
  }

  /** Reads the posts of entries, those of matches with how well they answer their saved query. */
  async #withRelevance(entries: readonly InboxEntry[], posts: readonly (Post | GonePost | undefined)[]) {
    const found = [...posts];
    const ids = new Set(entries.flatMap(({ subscriptionId }) => subscriptionId ?? []));
    const parts = { store: this.#store, embedder: this.#embedder };
    const filled = [...ids].map(async (id) => {
      const row = await this.#store.subscriptions.get(id);
      if (row === null) return;
      const places = entries.flatMap(({ subscriptionId }, at) => (subscriptionId === id ? [at] : []));
      const told = places.map((at) => posts[at]);
      for (const [n, post] of (await withRelevance(parts, row, told)).entries()) found[places[n] ?? 0] = post;
    });
    await Promise.all(filled);
    return found;
  }

  /** Finds the subscriptions to replies to the caller's posts: each of these is in the inbox already. */
  async #matchesOfReplies(caller: StoredPublisher, entries: readonly InboxEntry[]) {
    const isAsked = entries.some(({ type, postId }) => type === "match" && postId.includes("-"));
    const rows = isAsked ? await this.#store.subscriptions.ofPublisher(caller.id) : [];
    const ids = new Set<string | null>(
      rows.flatMap(({ id, event, query }) =>
        event === "post.replied" && query["thread"] === undefined ? [id] : [],
      ),
    );
    return (subscriptionId: string | null) => ids.has(subscriptionId);
  }
}
