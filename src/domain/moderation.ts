import { BoardError } from "../board/failures.ts";
import type {
  EarlierPage,
  ModerationEntry,
  Store,
  StoredPost,
  StoredPublisher,
  StoredReport,
  WrittenFilter,
} from "../ports/store/index.ts";
import { cleanMultiline } from "../schema/text.ts";
import { isoTime, isoTimeOrNull } from "./resources.ts";
import { suspendSubscriptions } from "./subscriptions/state.ts";

/** Each act is done to subjects of one sort. */
export const ACTS = {
  hide: "post",
  restore: "post",
  remove: "post",
  suspend: "publisher",
  reinstate: "publisher",
} as const satisfies Record<ModerationEntry["action"], "post" | "publisher">;
export type Act = keyof typeof ACTS;
type Actor = ModerationEntry["actor"];

/** Its author is null once erased. */
interface WithAuthor {
  post: StoredPost;
  author: StoredPublisher | null;
}

/** Shows a post as it is judged, and what was done, as every surface of the operator does. */
export type SeenPost = ReturnType<typeof seenPost>;
export type SeenAct = ReturnType<typeof seenAct>;
export interface Seen {
  posts: SeenPost[];
  /** Holds first posts that wait for a look, oldest first; `restore` releases them. */
  held: SeenPost[];
  acts: SeenAct[];
}

type Sought = Omit<WrittenFilter, "publisherId"> & { publishers?: readonly string[] };

interface Acted {
  subject: string;
  failure: "post_not_found" | "publisher_not_found" | null;
}

/** At most this many reports of one post, and acts on one subject, are shown. */
const SHOWN_MAX = 100;
/** A text in a list has at most this many characters. */
const BODY_CHARS = 600;
/** This many rows are read at once. */
export const PAGE_ROWS = 500;
/** A search of the operator looks through this many posts, the newest ones. */
const SEARCHED_MAX = 20_000;

/** Does and shows for the operator the same on the command line, on the operator's pages and over MCP. */
export class Moderation {
  readonly #store: Store;

  constructor(parts: { store: Store }) {
    this.#store = parts.store;
  }

  /** Holds posts with open reports, most reporters first, those that are held, and the newest acts. */
  async desk(limit: number): Promise<Seen> {
    const ids = (await this.#store.reports.queue(limit)).map(({ postId }) => postId);
    const reported = await this.#withAuthors(await this.#store.posts.many(ids));
    const held: SeenPost[] = [];
    for await (const rows of this.#written({ hidden: true }))
      for (const one of rows)
        if ((await this.history(one.post.id, 1))[0]?.actor === "hold") held.push(seenPost(one));
    return {
      posts: await Promise.all(reported.map(async (one) => seenPost(one, await this.#reports(one)))),
      held: held.slice(-limit).reverse(),
      acts: (await this.history(null, limit)).map(seenAct),
    };
  }

  /** Searches posts in any state but removed, newest first; of many the newest are looked through. */
  async posts(
    sought: Sought,
    words: string,
    { before, limit }: { before?: string | undefined; limit: number },
  ): Promise<SeenPost[]> {
    const place = before === undefined ? null : placeOf(await this.#post(before));
    const said = words.trim().toLowerCase();
    const found: WithAuthor[] = [];
    let read = 0;
    for await (const rows of this.#written(sought, place)) {
      found.push(...rows.filter((one) => textOf(one).includes(said)));
      read += rows.length;
      if (read >= SEARCHED_MAX || (found.length >= limit && (sought.publishers?.length ?? 0) < 2)) break;
    }
    found.sort(({ post: a }, { post: b }) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    return found.slice(0, limit).map((one) => seenPost(one));
  }

  /**
   * Lists publishers by the time of their registration, newest first, in pages.
   * @param before  the last publisher of the page before
   * @throws BoardError `publisher_not_found` for that one
   */
  async *publishers(since: number, before?: string | undefined): AsyncGenerator<StoredPublisher[]> {
    const last = before === undefined ? undefined : await this.#store.publishers.get(before);
    if (last === null) throw new BoardError("publisher_not_found");
    yield* pages((page) => this.#store.publishers.registered(since, page), last && placeOf(last));
  }

  /** Reads the log, newest first, of one subject or all. */
  history(subject: string | null, limit: number): Promise<ModerationEntry[]> {
    return this.#store.reports.history(subject, limit);
  }

  /**
   * Reads a post in any state but removed, whole, with its reports and what was done about it and its author.
   * @throws BoardError `post_not_found`
   */
  async examine(id: string): Promise<Seen> {
    const post = await this.#post(id);
    const [one = { post, author: null }] = await this.#withAuthors([post]);
    const acts = [await this.history(id, SHOWN_MAX), await this.history(post.publisherId, SHOWN_MAX)].flat();
    return {
      posts: [seenPost(one, await this.#reports(one), post.body.length)],
      held: [],
      acts: acts.sort((a, b) => b.at - a.at).map(seenAct),
    };
  }

  /**
   * Acts on each that is named or meant; one that there is not keeps the others from nothing.
   * @param ids  posts; for acts on publishers these, or posts of theirs
   * @param meant  for acts on publishers these, and who registered since then
   * @throws Error for a removal of all since a time
   */
  async actOn(
    act: Act,
    ids: readonly string[],
    reason: string,
    now: number,
    actor: Actor = "operator",
    meant: Sought = {},
  ): Promise<Acted[]> {
    const acted: Acted[] = [];
    // A removed root takes its replies along.
    const gone = new Set<string>();
    for (const subject of new Set(await this.#subjects(act, ids, meant))) {
      try {
        if (!gone.has(subject))
          for (const id of await this.act(act, subject, reason, now, actor)) gone.add(id);
        acted.push({ subject, failure: null });
      } catch (error) {
        const code = error instanceof BoardError ? error.code : null;
        if (code !== "post_not_found" && code !== "publisher_not_found") throw error;
        acted.push({ subject, failure: code });
      }
    }
    return acted;
  }

  /** Acts for the operator, and logs who did it and why. */
  async act(
    action: Act,
    subject: string,
    reason: string,
    now: number,
    actor: Actor = "operator",
  ): Promise<string[]> {
    let removed: string[] = [];
    if (action === "suspend" || action === "reinstate") {
      const suspendedAt = action === "suspend" ? now : null;
      const changed = await this.#store.publishers.update(subject, { suspendedAt });
      if (changed === null) throw new BoardError("publisher_not_found");
      if (action === "suspend") await this.#store.signIns.remove("publisherId", subject);
      await suspendSubscriptions(this.#store, subject, action === "suspend");
    } else if (action === "remove") {
      removed = await this.#store.posts.remove(subject, now);
      if (removed.length === 0) throw new BoardError("post_not_found");
    } else {
      const state = action === "hide" ? "hidden" : "active";
      const changed = await this.#store.posts.update(subject, { state }, { text: false, now });
      if (changed === null) throw new BoardError("post_not_found");
    }
    await this.#store.reports.log({ at: now, action, subject, actor, reason: cleanMultiline(reason) });
    return removed;
  }

  async #subjects(act: Act, ids: readonly string[], meant: Sought): Promise<string[]> {
    const { publishers = [], since } = meant;
    if (ACTS[act] === "publisher") {
      const subjects = [...publishers];
      for (const id of ids) subjects.push((await this.#store.posts.get(id))?.publisherId ?? id);
      if (since === undefined) return subjects;
      for await (const rows of this.publishers(since)) subjects.push(...rows.map(({ id }) => id));
      return subjects;
    }
    if (publishers.length === 0 && since === undefined) return [...ids];
    if (publishers.length === 0 && act === "remove")
      throw new Error("Nothing was removed: --since goes with --publisher, since this cannot be undone.");
    const subjects = [...ids];
    for await (const rows of this.#written({ ...meant, hidden: act === "restore" }))
      for (const { post } of rows) if (act !== "hide" || post.state === "active") subjects.push(post.id);
    return subjects;
  }

  async #post(id: string): Promise<StoredPost> {
    const post = await this.#store.posts.get(id);
    if (post === null || post.state === "removed") throw new BoardError("post_not_found");
    return post;
  }

  async *#written(sought: Sought, from: EarlierPage["before"] = null): AsyncGenerator<WithAuthor[]> {
    const { publishers = [], ...filter } = sought;
    for (const publisherId of publishers.length === 0 ? [undefined] : publishers)
      for await (const rows of pages((at) => this.#store.posts.written({ ...filter, publisherId }, at), from))
        yield this.#withAuthors(rows);
  }

  async #withAuthors(posts: readonly StoredPost[]): Promise<WithAuthor[]> {
    const ids = [...new Set(posts.map(({ publisherId }) => publisherId))];
    const authors = new Map((await this.#store.publishers.many(ids)).map((row) => [row.id, row]));
    return posts.map((post) => ({ post, author: authors.get(post.publisherId) ?? null }));
  }

  #reports({ post }: WithAuthor): Promise<StoredReport[]> {
    return this.#store.reports.of(post.id, SHOWN_MAX);
  }
}

function seenPost({ post, author }: WithAuthor, reports: readonly StoredReport[] = [], chars = BODY_CHARS) {
  const { id, state, kind, title, link, createdAt, updatedAt } = post;
  const edited = updatedAt > createdAt ? updatedAt : null;
  return {
    id,
    state,
    kind,
    title,
    body: [...post.body].slice(0, chars).join(""),
    link,
    flags: [...post.flags],
    parent: post.parentId,
    publisher: post.publisherId,
    name: author?.name ?? null,
    suspended: author?.suspendedAt != null,
    registered: author === null ? null : isoTime(author.createdAt),
    created_at: isoTime(createdAt),
    edited_at: isoTimeOrNull(edited),
    reports: reports.map(({ reason, details, reporter, createdAt: at }) => ({
      at: isoTime(at),
      // The hash of an address says nothing to a reader.
      by: reporter.startsWith("key:") ? reporter.slice(4) : "a visitor",
      reason,
      details,
      before_last_edit: at < (edited ?? 0),
    })),
  };
}

const seenAct = ({ at, ...act }: ModerationEntry) => ({ at: isoTime(at), ...act });

/** Gives the whole of a list whose newest rows come first, page by page. */
async function* pages<Row extends { id: string; createdAt: number }>(
  read: (page: EarlierPage) => Promise<Row[]>,
  from: EarlierPage["before"] = null,
): AsyncGenerator<Row[]> {
  for (let before = from; ; ) {
    const rows = await read({ before, limit: PAGE_ROWS });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    before = placeOf(last);
  }
}

const placeOf = ({ id, createdAt }: { id: string; createdAt: number }) => ({ at: createdAt, id });

const textOf = ({ post, author }: WithAuthor): string =>
  [post.title, post.body, post.link ?? "", author?.name ?? ""].join("\n").toLowerCase();
