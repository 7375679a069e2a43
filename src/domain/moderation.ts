import { BoardError } from "../board/failures.ts";
import type {
  EarlierPage,
  ModerationEntry,
  Position,
  Store,
  StoredPost,
  StoredPublisher,
  StoredReport,
  WrittenFilter,
} from "../ports/store/index.ts";
import { cleanMultiline } from "../schema/text.ts";
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

/** A post with its author, who is null once erased. */
export interface WithAuthor {
  post: StoredPost;
  author: StoredPublisher | null;
}
export type Reported = WithAuthor & { reporters: number; reasons: string[]; lastAt: number };

/** All that there is to know of a post before it is judged; a report is `older` than the text when that was edited since. */
export type Examined = WithAuthor & {
  reports: readonly (StoredReport & { older: boolean })[];
  acts: readonly ModerationEntry[];
};

export interface Acted {
  subject: string;
  failure: "post_not_found" | "publisher_not_found" | null;
}

/** Reports of one post, and acts on one subject, that are shown. */
const SHOWN_MAX = 100;
const ROWS_PER_READ = 500;
/** Posts that a search of the operator looks through. */
const SEARCHED_MAX = 20_000;

/** One set of acts serves the command line, the pages and the tools of the operator. */
export class Moderation {
  readonly #store: Store;

  constructor(parts: { store: Store }) {
    this.#store = parts.store;
  }

  /** Posts with open reports, most reporters first. */
  async queue(limit: number): Promise<Reported[]> {
    const queue = await this.#store.reports.queue(limit);
    const posts = await this.#withAuthors(await this.#store.posts.many(queue.map(({ postId }) => postId)));
    const known = new Map(posts.map((one) => [one.post.id, one]));
    return queue.flatMap(({ postId, reporters, reasons, lastAt }) => {
      const found = known.get(postId);
      return found === undefined ? [] : [{ ...found, reporters, reasons, lastAt }];
    });
  }

  /** Posts that wait for a look since they are their publisher's first ones, oldest first; `restore` releases them. */
  async held(limit: number): Promise<WithAuthor[]> {
    const held: StoredPost[] = [];
    for (let before: Position | null = null; ; ) {
      const rows = await this.#store.posts.written({ hidden: true }, { before, limit: ROWS_PER_READ });
      for (const post of rows)
        if ((await this.#store.reports.history(post.id, 1))[0]?.actor === "hold") held.push(post);
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_READ) break;
      before = { at: last.createdAt, id: last.id };
    }
    return this.#withAuthors(held.slice(-limit).reverse());
  }

  /** Posts in any state but removed, newest first. */
  async posts(filter: WrittenFilter, page: EarlierPage): Promise<WithAuthor[]> {
    return this.#withAuthors(await this.#store.posts.written(filter, page));
  }

  /**
   * The same, of which only those whose title, text, link or author's name holds these words, in any letter case. Of many posts
   * it looks through the newest.
   */
  async search(filter: WrittenFilter, words: string, page: EarlierPage): Promise<WithAuthor[]> {
    const sought = words.trim().toLowerCase();
    const found: WithAuthor[] = [];
    let before = page.before;
    for (let read = 0; read < SEARCHED_MAX && found.length < page.limit; read += ROWS_PER_READ) {
      const rows = await this.posts(filter, { before, limit: ROWS_PER_READ });
      found.push(...rows.filter((one) => textOf(one).includes(sought)));
      const last = rows.at(-1)?.post;
      if (last === undefined || rows.length < ROWS_PER_READ) break;
      before = { at: last.createdAt, id: last.id };
    }
    return found.slice(0, page.limit);
  }

  /**
   * The subjects of an act for which ids of posts were named: to suspend or reinstate, their authors. Ids of publishers stay.
   * @param only.suspended  leaves out posts whose authors are not suspended now
   */
  async meant(act: Act, ids: readonly string[], only: { suspended: boolean }): Promise<string[]> {
    const rows = await this.#store.posts.many(ids);
    const known = new Map((await this.#withAuthors(rows)).map((one) => [one.post.id, one]));
    const kept = ids.filter((id) => !only.suspended || known.get(id)?.author?.suspendedAt != null);
    return ACTS[act] === "post" ? kept : kept.map((id) => known.get(id)?.post.publisherId ?? id);
  }

  /** Where a list of publishers goes on behind one. @throws BoardError `publisher_not_found` */
  async positionOfPublisher(id: string): Promise<Position> {
    const row = await this.#store.publishers.get(id);
    if (row === null) throw new BoardError("publisher_not_found");
    return { at: row.createdAt, id };
  }

  /** Publishers by the time of their registration, newest first. */
  publishers(since: number, page: EarlierPage): Promise<StoredPublisher[]> {
    return this.#store.publishers.registered(since, page);
  }

  /** The log, newest first, of one subject or all. */
  history(subject: string | null, limit: number): Promise<ModerationEntry[]> {
    return this.#store.reports.history(subject, limit);
  }

  /**
   * A post in any state but removed, with its reports and what was done about it and its author.
   * @throws BoardError `post_not_found`
   */
  async examine(id: string): Promise<Examined> {
    const post = await this.#store.posts.get(id);
    if (post === null || post.state === "removed") throw new BoardError("post_not_found");
    const [found] = await this.#withAuthors([post]);
    const reports = await this.#store.reports.of(id, SHOWN_MAX);
    const acts = [await this.history(id, SHOWN_MAX), await this.history(post.publisherId, SHOWN_MAX)].flat();
    return {
      post,
      author: found?.author ?? null,
      reports: reports.map((report) => ({ ...report, older: report.createdAt < lastEdit(post) })),
      acts: acts.sort((a, b) => b.at - a.at),
    };
  }

  /** The ids that an act on everything of a filter is about: to restore, hidden posts; to hide, those that are not. */
  async subjects(act: "hide" | "restore" | "remove", filter: WrittenFilter): Promise<string[]> {
    const ids: string[] = [];
    for (let before: EarlierPage["before"] = null; ; ) {
      const rows: StoredPost[] = await this.#store.posts.written(
        { ...filter, ...(act === "restore" && { hidden: true }) },
        { before, limit: ROWS_PER_READ },
      );
      ids.push(...rows.filter(({ state }) => act !== "hide" || state === "active").map(({ id }) => id));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_READ) return ids;
      before = { at: last.createdAt, id: last.id };
    }
  }

  /** Acts on each subject; one that there is not keeps the others from nothing. Each act is logged. */
  async actOnAll(
    act: Act,
    subjects: readonly string[],
    reason: string,
    now: number,
    actor: Actor = "operator",
  ): Promise<Acted[]> {
    const acted: Acted[] = [];
    // A removed root takes its replies along.
    const gone = new Set<string>();
    for (const subject of new Set(subjects)) {
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

  /**
   * An act of the operator, logged with who did it and why.
   * @returns the posts that are now removed
   * @throws BoardError `post_not_found`, `publisher_not_found`
   */
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
      const changed = await this.#store.posts.update(subject, { state }, { text: false });
      if (changed === null) throw new BoardError("post_not_found");
    }
    await this.#store.reports.log({ at: now, action, subject, actor, reason: cleanMultiline(reason) });
    return removed;
  }

  async #withAuthors(posts: readonly StoredPost[]): Promise<WithAuthor[]> {
    const ids = [...new Set(posts.map(({ publisherId }) => publisherId))];
    const authors = new Map((await this.#store.publishers.many(ids)).map((row) => [row.id, row]));
    return posts.map((post) => ({ post, author: authors.get(post.publisherId) ?? null }));
  }
}

/** When the text was last changed by its author; never, before it was written. */
const lastEdit = ({ createdAt, updatedAt }: StoredPost): number => (updatedAt > createdAt ? updatedAt : 0);

const textOf = ({ post, author }: WithAuthor): string =>
  [post.title, post.body, post.link ?? "", author?.name ?? ""].join("\n").toLowerCase();
