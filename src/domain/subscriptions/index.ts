import { type Advice, BoardError } from "../../board/failures.ts";
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
  StandingQuery,
  Subscription,
  SubscriptionInput,
  SubscriptionPatch,
} from "../../schema/subscription.ts";
import { cleanLine } from "../../schema/text.ts";
import type { Cursors } from "../cursors.ts";
import type { Noted, Posts } from "../posts/index.ts";
import { isoTime, isoTimeOrNull } from "../resources.ts";
import { type Corrections, notesOnCorrections } from "../search/corrections.ts";
import { withPlaceDecided } from "../search/near.ts";
import {
  criteriaJson,
  notesOnAsked,
  notesOnBounds,
  notesOnPlace,
  parsedTextOf,
  textOfQuery,
} from "../search/query.ts";
import { notesOnHere, notesOnSavedWords, understoodIn, wordsUnderstood } from "../search/understood/index.ts";
import { newId, type Secrets } from "../secrets.ts";
import type { Site } from "../site.ts";
import { refuseUrl } from "../url-refusal.ts";
import type { Consent } from "../webhooks/consent.ts";
import { describeSubscription } from "./describe-subscription.ts";
import { meaningOf } from "./meaning.ts";
import { type PendingPage, pendingMatches } from "./pending.ts";
import {
  ACTIVATED,
  BEGUN,
  changeSubscription,
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
  posts: Posts;
  consent: Consent;
  corrections: Corrections;
}

/** Keeps standing queries: saving, reading, matches by polling, and consent of a webhook's owner. */
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
    const isSame = sameAs(input);
    const same = async () => (await store.subscriptions.ofPublisher(caller.id)).find(isSame);
    const there = await same();
    if (there !== undefined) return this.#goesOn(there);
    const row: StoredSubscription = {
      ...BEGUN,
      id: newId("sub"),
      publisherId: caller.id,
      label: cleanLine(input.label ?? "") || null,
      query: criteriaJson(input.query),
      breadth: input.breadth,
      changes: input.changes,
      ...(await meaningOf(this.#parts, input.query, now)),
      webhookUrl,
      createdAt: now,
    };
    if (!(await keepSubscription(store, row, isSame))) {
      // Two calls at once may save the same query.
      const other = await same();
      if (other === undefined) throw new BoardError("too_many_subscriptions");
      return this.#goesOn(other);
    }
    if (webhookUrl !== null) consent.askLater(row, webhookUrl, now);
    const secret = secrets.webhookSecret(row.id, row.secretVersion);
    return { data: { ...this.#resource(row, 0), secret }, notes: [], isNew: true };
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

  /** Gives a query as it will be saved, misspelt words corrected, with notes for the publisher that saves it. */
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

  /** Lists the caller's subscriptions, oldest first. */
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
      ...(patch.changes === undefined ? {} : { changes: patch.changes }),
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

  /** See `pendingMatches`. */
  pending(...asked: [id: string, caller: StoredPublisher, page: PendingPage, now: number]) {
    return pendingMatches(this.#parts, ...asked);
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
      changes: row.changes,
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
/** A webhook that has not answered yet has neither consented nor refused. */
const UNASKED = { webhookVerifiedAt: null, webhookRefusal: null } as const;

/** Tells whether a publisher's subscription looks for the same. */
function sameAs(input: SubscriptionInput): (own: StoredSubscription) => boolean {
  const sought = sameText(criteriaJson(input.query));
  const url = input.webhook_url ?? null;
  return ({ event, webhookUrl, breadth, changes, query }) =>
    event === null &&
    (url === null || webhookUrl === url) &&
    breadth === input.breadth &&
    changes === input.changes &&
    sameText(query) === sought;
}

/** Writes a query so that the order of its kinds and tags, and its letter case, make no difference. */
function sameText(query: Readonly<Record<string, unknown>>): string {
  const sorted = (value: unknown) => (typeof value === "string" ? value.split(",").sort().join(",") : value);
  const { q, kind, tags, ...others } = query;
  const text = typeof q === "string" ? q.toLowerCase().split(/\s+/).join(" ").trim() : null;
  return JSON.stringify([text, sorted(kind), sorted(tags), Object.entries(others).sort()]);
}
