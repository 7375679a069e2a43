import { createHash } from "node:crypto";
import { BoardError, FAILURES, type FailureCode } from "../../../board/failures.ts";
import type { Publisher } from "../../../schema/publisher.ts";
import type { SubscriptionPatch } from "../../../schema/subscription.ts";
import { mendable } from "../frame/posted-form.ts";
import type { Answer, OwnForm, SentForm } from "./form.ts";
import { editHtml } from "./own-page.ts";
import { NOTICE_FIELDS, type NoticeField, noticeFields, postInput, type Refused } from "./own-posts.ts";
import { erasedHtml, joinHtml, keyHtml, STALE } from "./pages.ts";

interface Action {
  fields: readonly string[];
  does(form: SentForm): Promise<Answer>;
}

/** Makes an action of a publisher, who sends its key along. */
const own = (fields: readonly string[], does: (form: OwnForm) => Promise<Answer>): Action => ({
  fields,
  async does(form) {
    if (form.apiKey === null) throw new BoardError("missing_api_key");
    try {
      return await does(form as OwnForm);
    } catch (thrown) {
      // The note is gone when the page that took it down is loaded again.
      if (!(thrown instanceof BoardError) || !GONE.includes(thrown.code)) throw thrown;
      return (form as OwnForm).ownPage("This is gone already.", { status: FAILURES[thrown.code].status });
    }
  },
});

const GONE: readonly FailureCode[] = ["post_not_found", "subscription_not_found"];

/** The field `do` names the action. */
export const ACTIONS = {
  register: { fields: ["name", "description", "url", "invite"], does: register },
  show: own([], (form) => form.ownPage()),
  write: own([...NOTICE_FIELDS, "idempotency_key"], publish),
  answer: own(["body", "parent_id", "idempotency_key"], publish),
  change: own(["id"], async (form) => {
    const post = await form.post();
    return { status: 200, page: editHtml(post, noticeFields(post), form.apiKey, form.site) };
  }),
  save: own(["id", ...NOTICE_FIELDS], save),
  end: own(["id"], async (form) => {
    await form.perform("PATCH /posts/{id}", { ...form.input, expires_at: "now" });
    return form.ownPage(
      "The post has ended. Its text stays readable at its address until it is erased; take it down to have it gone now.",
    );
  }),
  remove: own(["id"], async (form) => {
    await form.perform("DELETE /posts/{id}", form.input);
    return form.ownPage("The post is gone.");
  }),
  edit: own(["name", "description"], async (form) => {
    // An empty box of the form clears the description.
    try {
      await form.perform("PATCH /publishers/me", { description: null, ...form.input });
    } catch (thrown) {
      return refusedAgain(form, "edit", thrown);
    }
    return form.ownPage("Your publisher was changed.");
  }),
  verify: own(["url"], async (form) => {
    try {
      const { verified } = (await form.perform("POST /publishers/verify", form.input)) as Publisher;
      return await form.ownPage(
        verified
          ? "Your domain is verified."
          : "The proof was not found yet. Set it up as told below, then try again.",
      );
    } catch (thrown) {
      return refusedAgain(form, "verify", thrown);
    }
  }),
  rotate: own(["sign_out_hosts"], async (form) => {
    const made = await form.performOnce("POST /publishers/me/rotate-key", form.input);
    if (made === null) return form.ownPage(STALE);
    return { status: 200, page: keyHtml((made as { api_key: string }).api_key, null, form.site) };
  }),
  pause: savedSearch({ active: false }, "The saved search is paused: it finds nothing until it goes on."),
  resume: savedSearch({ active: true }, "The saved search goes on."),
  widen: savedSearch(
    { breadth: "wide" },
    "The saved search now tells of all that may fit; most of it will not.",
  ),
  narrow: savedSearch({ breadth: "close" }, "The saved search now tells only of what fits well."),
  stop: own(["id"], async (form) => {
    await form.perform("DELETE /subscriptions/{id}", form.input);
    return form.ownPage("The saved search is gone. A host that still wants it may make it again.");
  }),
  erase: own([], async (form) => {
    if (form.sent("confirm") !== "yes")
      return form.ownPage("Nothing was erased: tick the box to confirm.", { status: 400 });
    await form.perform("DELETE /publishers/me", form.input);
    return { status: 200, page: erasedHtml(form.site) };
  }),
} as const satisfies Record<string, Action>;

/** Makes an action that changes one's saved search. */
function savedSearch(patch: SubscriptionPatch, said: string): Action {
  return own(["id"], async (form) => {
    await form.perform("PATCH /subscriptions/{id}", { ...form.input, ...patch });
    return form.ownPage(said);
  });
}

async function register(form: SentForm): Promise<Answer> {
  const input = { ...form.input, accept_terms: form.sent("accept_terms") === "yes" };
  const made = await form.performOnce("POST /publishers", input);
  if (made === null)
    return { status: 200, page: joinHtml(form.site, { now: form.now, sent: form.filled, notice: STALE }) };
  const publisher = made as Publisher & { api_key: string };
  return { status: 201, page: keyHtml(publisher.api_key, publisher, form.site) };
}

/** Publishes a notice or an answer; where it may be mended, what was typed is shown again. */
async function publish(form: OwnForm): Promise<Answer> {
  const { parent_id, idempotency_key = onceADay(form), ...notice } = form.filled;
  const once = { ...(parent_id !== undefined && { parent_id }), idempotency_key };
  try {
    await form.perform("POST /posts", { ...form.added, ...postInput(notice), ...once });
  } catch (thrown) {
    return refusedAgain(form, parent_id === undefined ? "write" : "answer", thrown);
  }
  return form.ownPage("It is public now.");
}

/** One's own page, with the refused form as it was filled in. @throws what cannot be mended there */
function refusedAgain(form: OwnForm, action: Refused["action"], thrown: unknown): Promise<Answer> {
  const { error, status } = mendable(thrown, 499);
  return form.ownPage(null, { status, refused: { action, sent: form.filled, error } });
}

/** This stands for the name of a form without one, which is on a page that is the same for all: its day and its text. */
const onceADay = ({ now, filled }: OwnForm): string =>
  createHash("sha256")
    .update(JSON.stringify([new Date(now).toISOString().slice(0, 10), filled]))
    .digest("base64url");

/** Changes of a post what was changed in its form, and nothing else. */
async function save(form: OwnForm): Promise<Answer> {
  const post = await form.post();
  const shown = noticeFields(post);
  const typed = typedNotice(form);
  const changed = NOTICE_FIELDS.filter((name) => typed[name] !== undefined && typed[name] !== shown[name]);
  const patch = postInput(Object.fromEntries(changed.map((name) => [name, typed[name]])));
  try {
    await form.perform("PATCH /posts/{id}", { ...form.added, ...patch, id: post.id });
  } catch (thrown) {
    const { error, status } = mendable(thrown, 499);
    return { status, page: editHtml(post, { ...shown, ...typed }, form.apiKey, form.site, error) };
  }
  return form.ownPage("Your post was changed.");
}

/** Gives the boxes of a notice as they were sent, empty ones too. */
function typedNotice(form: OwnForm): Partial<Record<NoticeField, string>> {
  const boxes = NOTICE_FIELDS.map((name) => [name, form.sent(name)?.replaceAll("\r\n", "\n").trim()]);
  return Object.fromEntries(boxes.filter(([, text]) => text !== undefined));
}
