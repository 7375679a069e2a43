import { type Advice, BoardError } from "../../failures.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type {
  Store,
  StoredPublisher,
  StoredSubscription,
  SubscriptionChange,
} from "../../ports/store/index.ts";
import type {
  PendingMatch,
  StandingQuery,
  Subscription,
  SubscriptionInput,
  SubscriptionPatch,
} from "../../schema/subscription.ts";
import { cleanLine } from "../../schema/text.ts";
import { type Cursors, FULL_PAGE } from "../cursors.ts";
import type { Noted } from "../posts/index.ts";
import { nextDates, withDates } from "../posts/stands-for.ts";
import { isoTime, isoTimeOrNull, postResource } from "../resources.ts";
import { type Corrections, notesOnCorrections } from "../search/corrections.ts";
import { withPlaceDecided } from "../search/near.ts";
import {
  criteriaJson,
  filterOf,
  notesOnAsked,
  notesOnBounds,
  notesOnPlace,
  parsedTextOf,
  textOfQuery,
} from "../search/query.ts";
import { notesOnHere, notesOnSavedWords, understoodIn, wordsUnderstood } from "../search/understood/index.ts";
import { newId, type Secrets } from "../secrets.ts";
import { placeSince, sinceOf } from "../since.ts";
import type { Site } from "../site.ts";
import { refuseUrl } from "../url-refusal.ts";
import type { Consent } from "../webhooks/consent.ts";
import { describeSubscription } from "./describe-subscription.ts";
import { meaningOf } from "./meaning.ts";
import { relevancesOf } from "./relevance.ts";
import {
  ACTIVATED,
  BEGUN,
  changeSubscription,
  isMatched,
  keepSubscription,
  ownSubscription,
  ownWebhook,
} from "./state.ts";

interface Parts {
  store: Store;
  index: SearchIndex;
  embedder: Embedder;
  outbound: Outbound;
  site: Site;
  secrets: Secrets;
  cursors: Cursors;
  consent: Consent;
  corrections: Corrections;
}

/** Standing queries: saving, reading, matches by polling, and consent of a webhook's owner. */
export class Subscriptions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Saves a standing query, unless the publisher has it already, for this webhook where one is given: then that one is
   * answered, without its secret, and goes on if it was paused. The webhook's owner is asked for consent only after the
   * answer, whose secret verifies the question.
   *
   * @throws BoardError `invalid_url` for a webhook the board may not call, `too_many_subscriptions`
   */
  async create(
    input: SubscriptionInput,
    caller: StoredPublisher,
    now: number,
  ): Promise<Noted<Subscription & { secret?: string }> & { isNew: boolean }> {
    const { store, outbound, consent, secrets } = this.#parts;
    const webhookUrl = input.webhook_url ?? null;
    if (webhookUrl !== null) refuseUrl(outbound, webhookUrl, "webhook_url");
    const same = await this.#sameAs(input, caller);
    if (same !== null) return this.#goesOn(same);
    const row: StoredSubscription = {
      ...BEGUN,
      id: newId("sub"),
      publisherId: caller.id,
      label: cleanLine(input.label ?? "") || null,
      query: criteriaJson(input.query),
      breadth: input.breadth,
      ...(await meaningOf(this.#parts, input.query, now)),
      webhookUrl,
      createdAt: now,
    };
    if (!(await keepSubscription(store, row))) throw new BoardError("too_many_subscriptions");
    if (webhookUrl !== null) consent.askLater(row, webhookUrl, now);
    const secret = secrets.webhookSecret(row.id, row.secretVersion);
    return { data: { ...this.#resource(row, 0), secret }, notes: [], isNew: true };
  }

  /** The caller's subscription that looks for the same; null if there is none. */
  async #sameAs(input: SubscriptionInput, caller: StoredPublisher): Promise<StoredSubscription | null> {
    const sought = sameText(criteriaJson(input.query));
    const url = input.webhook_url ?? null;
    const own = await this.#parts.store.subscriptions.ofPublisher(caller.id);
    const isSame = ({ event, webhookUrl, breadth, query }: StoredSubscription) =>
      event === null &&
      (url === null || webhookUrl === url) &&
      breadth === input.breadth &&
      sameText(query) === sought;
    return own.find(isSame) ?? null;
  }

  async #goesOn(row: StoredSubscription): Promise<Noted<Subscription> & { isNew: boolean }> {
    const isPaused = row.inactiveReason === "paused";
    const there = isPaused ? await changeSubscription(this.#parts.store, row.id, () => ACTIVATED) : row;
    const done = isPaused ? "It was paused and goes on." : "Nothing was changed.";
    const said = (call: string) =>
      `You have this query already. ${done} To change, pause or end it: ${call}.`;
    const note = {
      rest: said(`PATCH or DELETE /subscriptions/${row.id}`),
      tools: said(`subscribe {"id":"${row.id}"}`),
    };
    return { data: await this.#counted(there), notes: [note], isNew: false };
  }

  /**
   * A query as it will be saved, misspelt words corrected, with notes for the publisher that saves it. Without a model
   * nothing is corrected: the first post with the word may be to come.
   * @throws BoardError `invalid_request` for a place that cannot be told from others of its name
   */
  async understood(sent: StandingQuery, now: number): Promise<{ query: StandingQuery; notes: Advice[] }> {
    const typed = await withPlaceDecided(this.#parts.index, sent, now, "query.near");
    const q = textOfQuery(typed);
    if (q === null) return { query: typed, notes: this.#notesOn(typed) };
    const { understood, here } = await understoodIn(typed, q, now);
    const { text, corrections } =
      this.#parts.embedder.state() === "ready"
        ? await this.#parts.corrections.of(q, wordsUnderstood(understood, here))
        : { text: q, corrections: [] };
    const query = { ...typed, q: text };
    const notes = [
      ...notesOnCorrections(corrections),
      ...notesOnSavedWords(understood, query, text),
      ...notesOnHere(here, query),
      ...this.#notesOn(query),
    ];
    return { query, notes };
  }

  #notesOn(query: StandingQuery): string[] {
    const text = parsedTextOf(query);
    const isWordless = text !== null && text.any.length + text.phrases.length + text.excluded.length === 0;
    return [
      ...notesOnPlace(query),
      ...notesOnBounds(query),
      ...(text === null ? [] : notesOnAsked(text.bounds, NOT_TOLD)),
      ...(isWordless
        ? ["`q` holds no word, and signs and emoji are not looked for: no post will match."]
        : []),
    ];
  }

  /** The caller's subscriptions, oldest first. */
  async list(caller: StoredPublisher): Promise<Subscription[]> {
    const rows = await this.#parts.store.subscriptions.ofPublisher(caller.id);
    const counts = await this.#parts.store.subscriptions.pendingCounts(rows.map((row) => row.id));
    return rows.map((row) => this.#resource(row, counts.get(row.id) ?? 0));
  }

  /** @throws BoardError `subscription_not_found` */
  async read(id: string, caller: StoredPublisher): Promise<Subscription> {
    return this.#counted(await ownSubscription(this.#parts.store, id, caller));
  }

  /**
   * Changes the given fields. A new webhook URL is asked for consent after the answer, and receives nothing else before
   * it agrees.
   * @throws BoardError `subscription_not_found`, `invalid_url`, `too_many_subscriptions`
   */
  async edit(
    id: string,
    patch: SubscriptionPatch,
    caller: StoredPublisher,
    now: number,
  ): Promise<Subscription> {
    const { store, outbound, consent } = this.#parts;
    const { webhook_url: url } = patch;
    const isNewUrl = (row: StoredSubscription) => url !== undefined && url !== row.webhookUrl;
    const isOfQuery = patch.query !== undefined || url !== undefined;
    const isMoving = isNewUrl(await (isOfQuery ? ownWebhook : ownSubscription)(store, id, caller));
    if (isMoving && typeof url === "string") refuseUrl(outbound, url, "webhook_url");
    const given: SubscriptionChange = {
      ...(patch.label === undefined ? {} : { label: cleanLine(patch.label ?? "") || null }),
      ...(patch.breadth === undefined ? {} : { breadth: patch.breadth }),
      ...(patch.query === undefined ? {} : await this.#queryChange(patch.query, now)),
      ...(patch.active === false ? { active: false, inactiveReason: "paused" } : {}),
    };
    let isMoved = false;
    const changed = await changeSubscription(store, id, (row) => {
      isMoved = isNewUrl(row);
      return {
        ...given,
        ...(isMoved ? { webhookUrl: url ?? null, ...UNASKED, failures: 0, failingSince: null } : {}),
        ...(patch.active === true && !row.active ? ACTIVATED : {}),
      };
    });
    if (isMoved && changed.webhookUrl !== null) consent.askLater(changed, changed.webhookUrl, now);
    return this.#counted(changed);
  }

  /** @throws BoardError `subscription_not_found` */
  async remove(id: string, caller: StoredPublisher): Promise<void> {
    await ownSubscription(this.#parts.store, id, caller);
    await this.#parts.store.subscriptions.remove(id);
  }

  /**
   * Matches after the caller's watermark, oldest first. Nothing is consumed.
   *
   * @param page.since  where to begin without a cursor, see `sinceOf`
   * @returns `nextCursor` is the new watermark; an empty page gives back the cursor it was given, or that of the beginning
   * @throws BoardError `subscription_not_found`, `invalid_cursor`, `invalid_query`
   */
  async pending(
    id: string,
    caller: StoredPublisher,
    page: { cursor: string | undefined; since?: string | undefined; limit: number },
    now: number,
  ): Promise<{ matches: PendingMatch[]; nextCursor: string; notes: string[]; hasNews: boolean }> {
    const { store, index, cursors, site } = this.#parts;
    const list = `pending ${id}`;
    const read = async () => {
      const after = cursors.readNumber(list, page.cursor) ?? (await this.#placeOf(id, page.since, now));
      return { after, found: await store.subscriptions.pending(id, after, page.limit) };
    };
    // Side by side; whether the subscription is the caller's is said first.
    const [owned, found] = await Promise.allSettled([ownSubscription(store, id, caller), read()]);
    const row = fulfilled(owned);
    const { after, found: deliveries } = fulfilled(found);
    const posts = await nextDates(
      { index, posts: store.posts },
      deliveries.map(({ post }) => post),
      now,
    );
    const relevances = await relevancesOf(this.#parts, row, posts);
    const told = deliveries.map(({ post, publisher, deliveryId, matchedAt }, i) => ({
      ...postResource(posts[i] ?? post, publisher, site),
      relevance: relevances[i] ?? 1,
      delivery_id: deliveryId,
      matched_at: isoTime(matchedAt),
    }));
    const matches = await withDates(index, told, filterOf({}, now));
    const last = deliveries.at(-1);
    const nextCursor =
      page.cursor !== undefined && last === undefined
        ? page.cursor
        : cursors.write(list, [last?.deliveryId ?? after]);
    const inactive = `The subscription is inactive (\`${row.inactiveReason}\`): new posts are not matched until it is active again.`;
    const notes = isMatched(row) ? [] : [inactive];
    if (deliveries.length === page.limit) notes.push(FULL_PAGE);
    return { matches, nextCursor, notes, hasNews: matches.length > 0 || notes.length > 0 };
  }

  async #placeOf(id: string, since: string | undefined, now: number): Promise<number> {
    if (since === undefined) return 0;
    return placeSince(sinceOf(since, now), async (after) => {
      const [delivery] = await this.#parts.store.subscriptions.pending(id, after, 1);
      return delivery === undefined ? null : { no: delivery.deliveryId, at: delivery.matchedAt };
    });
  }

  /**
   * Asks the webhook's owner for consent once more; a yes re-activates an inactive subscription.
   * @throws BoardError `subscription_not_found`, `no_webhook`, `rate_limited`, `too_many_subscriptions`
   */
  async verifyWebhook(
    id: string,
    caller: StoredPublisher,
    now: number,
  ): Promise<{ subscription: Subscription; verified: boolean }> {
    const row = await ownWebhook(this.#parts.store, id, caller);
    if (row.webhookUrl === null) throw new BoardError("no_webhook");
    const changed = await this.#parts.consent.askAgain(row, row.webhookUrl, now);
    return { subscription: await this.#counted(changed), verified: changed.webhookVerifiedAt !== null };
  }

  async #counted(row: StoredSubscription): Promise<Subscription> {
    const counts = await this.#parts.store.subscriptions.pendingCounts([row.id]);
    return this.#resource(row, counts.get(row.id) ?? 0);
  }

  #resource(row: StoredSubscription, pending: number): Subscription {
    return {
      id: row.id,
      label: row.label,
      query: row.query,
      breadth: row.breadth,
      describes: describeSubscription(row),
      webhook_url: row.webhookUrl,
      webhook_verified: row.webhookVerifiedAt !== null,
      ...(row.webhookRefusal === null ? {} : { webhook_refusal: row.webhookRefusal }),
      poll_url: this.#parts.site.pending(row.id),
      active: row.active,
      inactive_reason: row.inactiveReason,
      event: row.event,
      expires_at: isoTimeOrNull(row.expiresAt),
      created_at: isoTime(row.createdAt),
      last_matched_at: isoTimeOrNull(row.lastMatchedAt),
      pending,
      failures: row.failures,
    };
  }

  async #queryChange(query: StandingQuery, now: number): Promise<SubscriptionChange> {
    return {
      query: criteriaJson(query),
      ...(await meaningOf(this.#parts, query, now)),
    };
  }
}

const NOT_TOLD = { price: "are not told of", unwanted: "posts with it in the title are not told of" };
/** Of a webhook that has not answered yet. */
const UNASKED = { webhookVerifiedAt: null, webhookRefusal: null } as const;

/** This is what a query looks for, whatever the order of its words for kinds and tags, and its letter case. */
function sameText(query: Readonly<Record<string, unknown>>): string {
  const sorted = (value: unknown) => (typeof value === "string" ? value.split(",").sort().join(",") : value);
  const { q, kind, tags, ...others } = query;
  const text = typeof q === "string" ? q.toLowerCase().split(/\s+/).join(" ").trim() : null;
  return JSON.stringify([text, sorted(kind), sorted(tags), Object.entries(others).sort()]);
}

function fulfilled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
