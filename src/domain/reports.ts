import { BoardError } from "../board/failures.ts";
import type { Store } from "../ports/store/index.ts";
import type { ReportInput } from "../schema/report.ts";
import { cleanMultiline, counted } from "../schema/text.ts";
import { newId } from "./secrets.ts";

/** Takes reports, and does what they lead to. */
export class Reports {
  readonly #store: Store;
  readonly #reportsToHide: number;

  /** @param parts.reportsToHide  distinct voices that hide an unverified publisher's post; 0 never hides */
  constructor(parts: { store: Store; reportsToHide: number }) {
    this.#store = parts.store;
    this.#reportsToHide = parts.reportsToHide;
  }

  /**
   * Files a report; one per post and reporter, a repeat updates it. Enough distinct voices hide the post.
   *
   * @param from.reporter  publisher, or hashed address
   * @param from.address  hashed; reports from one are one voice, since keys are free
   * @throws BoardError `post_not_found`; a hidden post takes reports too
   */
  async file(
    input: ReportInput,
    from: { reporter: string; address: string },
    now: number,
  ): Promise<{ id: string; post_id: string; status: "received" }> {
    const post = await this.#store.posts.get(input.post_id);
    if (post === null || post.state === "removed") throw new BoardError("post_not_found");
    const report = await this.#store.reports.upsert({
      id: newId("rep"),
      postId: post.id,
      reporter: from.reporter,
      addresses: [from.address],
      reason: input.reason,
      details: cleanMultiline(input.details ?? "") || null,
      createdAt: now,
    });
    if (post.state === "active") await this.#hideWhenEnough(post.id, post.publisherId, now);
    return { id: report.id, post_id: post.id, status: "received" };
  }

  async #hideWhenEnough(postId: string, publisherId: string, now: number): Promise<void> {
    if (this.#reportsToHide === 0) return;
    const publisher = await this.#store.publishers.get(publisherId);
    const enough = publisher?.verifiedAt == null ? this.#reportsToHide : this.#reportsToHide * 2;
    // Voices from before a restore have had their say: only new ones hide a post again. Whatever was done to a post that is
    // shown, it was restored last.
    const [restored] = await this.#store.reports.history(postId, 1);
    const voices = await this.#store.reports.voices(postId, restored?.at ?? 0);
    if (voices < enough) return;
    await this.#store.posts.update(postId, { state: "hidden" }, { text: false });
    const reason = counted(voices, "voice");
    await this.#store.reports.log({ at: now, action: "hide", subject: postId, actor: "reports", reason });
  }
}
