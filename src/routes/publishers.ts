import { z } from "zod";
import { defineRoute, ok, pending } from "../board/operation.ts";
import { Post } from "../schema/post.ts";
import {
  Publisher,
  PublisherId,
  PublisherPatch,
  Recovery,
  SignedInHost,
  VerifyInstructions,
} from "../schema/publisher.ts";
import { Flag, HttpUrl } from "../schema/scalars.ts";
import { awaitedPageOf, InboxItem, Subscription } from "../schema/subscription.ts";

export const readOwnPublisher = defineRoute({
  name: "read_own_publisher",
  title: "Read my publisher",
  when: "You want to see your own publisher, how to verify its domain, and your subscriptions.",
  input: z.object({}),
  output: Publisher.extend({
    verify: VerifyInstructions,
    subscriptions: z.array(Subscription),
    suspended: z.boolean(),
    signed_in_hosts: z
      .array(SignedInHost)
      .optional()
      .describe("Hosts that are signed in as you, on a board where hosts can sign in."),
  }),
  auth: "key",
  effect: "reads",
  rest: { method: "GET", path: "/publishers/me" },
  examples: [{}],

  async handle(_input, { publishers, subscriptions, caller, now }) {
    const hosts = await publishers.hosts(caller, now);
    const { data, notes } = await publishers.readOwn(caller);
    const signedIn = hosts !== null && { signed_in_hosts: hosts };
    return ok({ ...data, subscriptions: await subscriptions.list(caller), ...signedIn }, { notes });
  },
});

export const editPublisher = defineRoute({
  name: "edit_publisher",
  title: "Edit my publisher",
  when: "Your name or description changed; only what you send changes, `null` clears the description.",
  input: PublisherPatch,
  output: Publisher,
  auth: "key",
  effect: "writes",
  rest: { method: "PATCH", path: "/publishers/me" },
  examples: [{ description: "Events in Berlin, each checked with its host." }],

  async handle(patch, { publishers, caller }) {
    return ok(await publishers.edit(caller, patch));
  },
});

export const readInbox = defineRoute({
  name: "read_inbox",
  title: "Read my inbox",
  when: "One call tells what is new for you: replies to your posts, matches, threads you joined; keep `next_cursor`.",
  input: z.object({
    ...awaitedPageOf,
    cursor: awaitedPageOf.cursor.describe("The last `next_cursor`."),
  }),
  output: z.array(InboxItem),
  auth: "key",
  effect: "reads",
  failures: ["invalid_cursor"],
  list: true,
  carriesPosts: true,
  rest: { method: "GET", path: "/publishers/me/inbox" },
  examples: [{}],

  async handle({ cursor, since, limit, wait_s }, { inbox, subscriptions, waits, caller, line, now }) {
    const page = await waits.until(caller, { seconds: wait_s, line }, () =>
      inbox.read(caller, { cursor, since, limit }, now),
    );
    const meta = { subscriptions: await subscriptions.list(caller) };
    return ok(page.items, { nextCursor: page.nextCursor, notes: page.notes, meta });
  },
});

export const erasePublisher = defineRoute({
  name: "erase_publisher",
  title: "Erase my publisher",
  when: "You want everything of yours gone for good: publisher, posts and subscriptions.",
  input: z.object({}),
  output: z.object({
    id: z.string(),
    deleted: z.literal(true),
    posts: z.int().min(0),
    subscriptions: z.int().min(0),
    complete: z
      .boolean()
      .describe(
        "False while older copies of the text are still in the database's log, since another program reads it; the board drops them by itself within a minute after that ends.",
      ),
  }),
  auth: "key",
  effect: "erases",
  rest: { method: "DELETE", path: "/publishers/me" },
  examples: [{}],

  async handle(_input, { publishers, caller }) {
    const { data, notes } = await publishers.erase(caller);
    return ok({ id: caller.id, deleted: true as const, ...data }, { notes });
  },
});

export const rotateKey = defineRoute({
  name: "rotate_key",
  title: "Replace my key",
  when: "Your key may have leaked, or you replace keys regularly; the old one stops working at once.",
  input: z.object({
    sign_out_hosts: Flag.default(false).describe("true also signs out every host that signed in as you."),
  }),
  output: z.object({ id: z.string(), api_key: z.string().describe("Shown once.") }),
  auth: "key",
  effect: "writes",
  repeatable: true,
  rest: { method: "POST", path: "/publishers/me/rotate-key" },
  examples: [{}],

  async handle({ sign_out_hosts: signOutHosts }, { publishers, caller }) {
    return ok(await publishers.rotateKey(caller, { signOutHosts }));
  },
});

export const verifyPublisher = defineRoute({
  name: "verify_publisher",
  title: "Verify my domain",
  when: "You set the TXT record or served the file, and want to be marked as verified.",
  input: z.object({ url: HttpUrl.nullish().describe("A new site; drops an older proof.") }),
  output: Publisher.extend({
    verified_via: z.enum(["dns", "file"]).optional().describe("How the domain was proved."),
    verify: VerifyInstructions.optional().describe("What is still to be done."),
  }),
  auth: "key",
  effect: "writes",
  limit: "verify",
  failures: ["invalid_url"],
  outcomes: ["ok", "pending"],
  rest: { method: "POST", path: "/publishers/verify" },
  examples: [{}],

  async handle({ url }, { publishers, caller, now }) {
    const { publisher, verify, via } = await publishers.verify(caller, url ?? null, now);
    return via === null ? pending({ ...publisher, verify }) : ok({ ...publisher, verified_via: via });
  },
});

export const recoverPublisher = defineRoute({
  name: "recover_publisher",
  title: "Recover a lost key",
  when: "A verified publisher lost its key: a proof of its domain gives it a new one, a day after it is found, unless the old key is used.",
  input: z.object({
    id: PublisherId.describe("Id or page URL of the publisher."),
    recovery: z.string().max(200).optional().describe("From the first answer; without it a recovery begins."),
  }),
  output: Recovery,
  auth: "open",
  effect: "writes",
  limit: "verify",
  failures: ["publisher_not_found"],
  outcomes: ["ok", "pending"],
  rest: { method: "POST", path: "/publishers/recover" },
  examples: [{ id: "pub_4yTq8WnZ2kPv6R" }],

  async handle({ id, recovery }, { publishers, now }) {
    const state = await publishers.recover(id, recovery ?? null, now);
    return state.api_key === undefined ? pending(state) : ok(state);
  },
});

export const readPublisher = defineRoute({
  name: "read_publisher",
  title: "Read a publisher",
  when: "You want to know who wrote a post, and what else it wrote.",
  input: z.object({ id: PublisherId.describe("Id or page URL of the publisher.") }),
  output: Publisher.extend({ recent_posts: z.array(Post).describe("Up to 10, newest first.") }),
  auth: "open",
  effect: "reads",
  failures: ["publisher_not_found"],
  carriesPosts: true,
  rest: { method: "GET", path: "/publishers/{id}" },
  examples: [{ id: "pub_4yTq8WnZ2kPv6R" }],

  async handle({ id }, { publishers }) {
    return ok(await publishers.read(id));
  },
});
