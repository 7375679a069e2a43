import type { StoredPost } from "../../records/post.ts";

export type { ToldChange } from "../../records/change.ts";
export type { StoredPost } from "../../records/post.ts";

export type PostChange = Partial<
  Omit<
    StoredPost,
    | "id"
    | "publisherId"
    | "parentId"
    | "createdAt"
    | "writtenNo"
    | "change"
    | "replyCount"
    | "lastReplyAt"
    | "retrievals"
    | "inputHash"
    | "idempotencyHash"
  >
>;

/** A list continues behind the sort time and the id of the last row seen. */
export interface Position {
  at: number;
  id: string;
}

/** Asks for a page of a list whose newest rows come first: those before a position, or the first ones. */
export interface EarlierPage {
  before: Position | null;
  limit: number;
}

/** The operator looks through these posts; what is left out bounds nothing. */
export interface WrittenFilter {
  publisherId?: string | undefined;
  /** Only posts written at or after this time count. */
  since?: number | undefined;
  /** Only those that are hidden themselves; one may also be hidden with its publisher or its root. */
  hidden?: boolean | undefined;
}

/** The search for near-duplicates reads this of a publisher's post. */
export interface FingerprintRow {
  id: string;
  /** See `StoredPost`. */
  fingerprint: string;
  createdAt: number;
}

/** Judges what the publisher wrote before: of posts written at the same time, the later one sees the earlier. */
export interface InsertGuard {
  /** Posts created at or after this time are looked at, newest first, at most `limit`, removed ones too. */
  since: number;
  limit: number;
  /** Throws to refuse the insert. A store may call it more than once. */
  check(earlier: readonly FingerprintRow[]): void;
}

/** Shows the root of a thread as a new reply meets it. */
export interface ThreadRoot extends Pick<StoredPost, "kind" | "state" | "expiresAt" | "replyCount"> {
  /** True when its publisher is suspended. */
  suspended: boolean;
}

export interface InsertOptions {
  guard?: InsertGuard;
  /**
   * The store asks this inside the write of a reply, perhaps more than once. Throws to refuse the reply; else gives the
   * time until which the thread lives at least, or null.
   */
  admit?(root: ThreadRoot): number | null;
}

/** A model and the preparation of texts for it make a vector; without the second, texts are taken as they are. */
export interface VectorMaker {
  model: string;
  preparation?: string | undefined;
}

/** Names a vector's maker in one word, as stores keep it beside vectors of posts and of saved queries. */
export const makerName = ({ model, preparation }: VectorMaker): string =>
  preparation === undefined ? model : `${model}#${preparation}`;

/** Gives the preparation in a maker's word; nothing where there was none. */
export function preparationIn(maker: string | null | undefined, model: string): { preparation?: string } {
  return maker?.startsWith(`${model}#`) === true ? { preparation: maker.slice(model.length + 1) } : {};
}

/** Tells whether a maker's word names a model, however the text was prepared; one without preparation is the model alone. */
export const isMadeBy = (maker: string, model: string): boolean =>
  maker === model || maker.startsWith(`${model}#`);

/** Holds a vector of a post, made of the text that it had at `updatedAt`. */
interface NewVector extends VectorMaker {
  id: string;
  updatedAt: number;
  vector: Int8Array;
}

/** A post that was hidden when it was written, and never shown since, has this `writtenNo`. */
export const NEVER_SHOWN = Number.MIN_SAFE_INTEGER;

export interface PostStore {
  /**
   * Inserts an active or hidden post and, in the same transaction: raises its publisher's post count, its parent's reply count
   * and `lastReplyAt`, tells those who hear of replies, moves the expiry of the parent and of all its replies to what `admit`
   * asks for, gives a reply its parent's expiry, puts the post into the embedded index, and enqueues the work kinds `match` and
   * `embed` for it. A hidden one is neither counted as a reply nor told of, and becomes `NEVER_SHOWN`. When a post with this id,
   * or one of this publisher with this `idempotencyHash`, already exists in any state, nothing changes and it resolves to that
   * post. Rejects, keeping nothing, when the publisher is gone, or the parent is gone, removed or a reply itself, and with the
   * error of `admit` or `guard`.
   */
  insert(post: StoredPost, options?: InsertOptions): Promise<{ inserted: boolean; post: StoredPost }>;
  /** Reads one post in any state, or null. */
  get(id: string): Promise<StoredPost | null>;
  /** Reads the post of a publisher with this `idempotencyHash`, in any state, or null. */
  byIdempotency(publisherId: string, idempotencyHash: string): Promise<StoredPost | null>;
  /** Reads the existing ones among these posts, in any state, in the order of `ids`, of which it takes at most 1,000. */
  many(ids: readonly string[]): Promise<StoredPost[]>;
  /** Lists active replies of a post, oldest first by (createdAt, id), after `after`. */
  replies(parentId: string, page: { after: Position | null; limit: number }): Promise<StoredPost[]>;
  /** Lists active top-level posts and replies of a publisher, newest first. */
  byPublisher(publisherId: string, limit: number): Promise<StoredPost[]>;
  /**
   * Lists active and hidden posts and replies, expired ones too, newest first by (createdAt, id): the operator looks
   * through them.
   */
  written(filter: WrittenFilter, page: EarlierPage): Promise<StoredPost[]>;
  /**
   * Changes an active or hidden post in one transaction with its index entry, and always enqueues `match`. Where somebody was
   * told of it, its `change` says what of it they are to hear; those who answered a post that ends early hear that at once. When
   * `text` is true its vector is dropped and `embed` enqueued; an `embed` that waits or is under way is enqueued again in any
   * case. A changed expiry of a root is that of its replies too; a reply's own cannot change. State `hidden` takes the post, but
   * not its replies, out of the index and out of its parent's reply count; `active` puts both back, and is for one that was never
   * shown as if it were written now: its `writtenNo` is of this moment, and those who hear of replies are told of it, at `now`.
   * Resolves to the post afterwards. Null when there is none, when it is removed, or when its `updatedAt` is no longer `asOf`,
   * from which the change was worked out.
   */
  update(
    id: string,
    change: PostChange,
    options: { text: boolean; asOf?: number; now?: number },
  ): Promise<StoredPost | null>;
  /**
   * Marks a post removed, with its replies when it is a root, in one transaction with the index, the publishers' post
   * counts, the parent's reply count and the deliveries. What the publisher wrote (title, body, link, tags, location,
   * time zone, source, metadata, flags) is wiped at once; ids, times, fingerprint and hash stay until the post is erased.
   * Who was told of them, or answered the root, hears of it as of an edit; `match` is enqueued for that.
   * Resolves to the ids now removed; empty when there was nothing to do.
   */
  remove(id: string, now: number): Promise<string[]>;
  /** Lists posts with a start that were removed at or after `since` and are not yet erased, latest removal first. */
  lastRemoved(since: number, limit: number): Promise<(StoredPost & { removedAt: number })[]>;
  /** Adds to the counts of retrievals; unknown ids are ignored. A crash may lose what was not yet written. */
  addRetrievals(counts: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Keeps vectors of posts (int8, see `src/search/ranking/vectors.ts`), makes them searchable, and enqueues `match`. Posts
   * that are gone, or whose text changed since (`updatedAt` differs), are skipped. `preparation` names how the text was
   * prepared for the model; vectors of one model are searched together whatever it is. Settles the work that they came
   * from together with them.
   */
  setVectors(rows: readonly NewVector[], settled?: readonly WorkItem[]): Promise<void>;
  /**
   * Reads vectors of posts under a model, in the order of `ids`; null where there is none. At most 1,000 ids. An index may
   * lag behind, and a worker must see what its work was enqueued for.
   */
  vectors(ids: readonly string[], model: string): Promise<(Int8Array | null)[]>;
  /**
   * Enqueues `embed` for at most `limit` posts without a vector of this model and preparation, unless enqueued; resolves
   * to how many.
   */
  enqueueMissingVectors(maker: VectorMaker, limit: number): Promise<number>;
  /** Physically erases at most `limit` posts expired, or removed, before the given times; resolves to how many. */
  erase(before: { expired: number; removed: number }, limit: number): Promise<number>;
}

/** Keeps the work on a post after it was written, done by whichever process comes first. */
export type WorkKind = "match" | "embed";
export interface WorkItem {
  kind: WorkKind;
  postId: string;
  /** Names this claim; a claim that was taken over, or a post enqueued again meanwhile, has another. */
  token: string;
  /** Claims since it was enqueued, this one included. */
  attempts: number;
}

export interface WorkStore {
  /**
   * Claims at most `limit` due items until `now + leaseMs`, oldest first; each item goes to one claimant. New work is due by
   * any clock, and so is a claim that ends later than the clocks of processes can differ. What comes of the
   * work settles it (`SubscriptionStore.deliver`, `PostStore.setVectors`), unless it was enqueued again since. A claim not
   * settled in time falls due again, so that work survives the death of its worker.
   */
  claim(kind: WorkKind, options: { limit: number; leaseMs: number; now: number }): Promise<WorkItem[]>;
  /** Gives items back, due at `dueAt`. */
  giveBack(items: readonly WorkItem[], dueAt: number): Promise<void>;
  backlog(kind: WorkKind): Promise<number>;
  /** Tells when the post whose turn is next was last written; null where none waits. */
  oldest(kind: WorkKind): Promise<number | null>;
  /**
   * Calls back soon after a post was written or changed, by whatever process. Absent where a look now and then has to do.
   */
  onPosts?(changed: () => void): void;
}
