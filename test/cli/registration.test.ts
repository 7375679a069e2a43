import { describe, expect, it } from "vitest";
import { acceptsInvite } from "../../src/domain/publishers/invites.ts";
import { call, register } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { titles, write } from "../support/boards/writing.ts";
import { OPERATOR_KEY, Operator } from "../support/clients/operator.ts";

const registering = { name: "Newcomer", accept_terms: true };

describe("REGISTRATION=closed", () => {
  const board = useTestBoard({ REGISTRATION: "closed" });

  it("registers nobody, on any surface, and says so", async () => {
    const refused = await call(board, "POST /publishers", registering);
    expect([refused.status, refused.body.error.code]).toEqual([403, "registration_closed"]);
    const form = new URLSearchParams({ do: "register", name: "Newcomer", accept_terms: "yes" });
    const page = await fetch(`${board.url}/join`, { method: "POST", body: form });
    expect([page.status, await page.text()]).toEqual([
      403,
      expect.stringContaining("takes no new publishers now"),
    ]);
    expect((await call(board, "GET /board")).body.data.publishers).toBe(0);
  });
});

describe("REGISTRATION=invite", () => {
  const board = useTestBoard({ REGISTRATION: "invite" });
  const client = useClient(board, "/mcp");
  const invites = async (...args: string[]) => {
    const environment = { STORE_URL: board.board.config.storeUrl };
    return (await runHere(["publishers", "invite", ...args], environment)).stdout.trim().split("\n");
  };
  const attempt = async (invite?: string) => {
    const { status, body } = await call(board, "POST /publishers", { ...registering, invite });
    return body.error?.code ?? status;
  };

  it("takes whoever has a code that the operator printed, once, over REST, MCP and by the form", async () => {
    const [one = "", two = "", three = ""] = await invites("--count", "3", "--days", "2");
    expect(one).toMatch(/^inv_[\w-]{24}$/);
    expect(await attempt()).toBe("invite_needed");
    expect(await attempt("inv_guessed")).toBe("invite_needed");
    const atOnce = await Promise.all([1, 2, 3].map(() => attempt(one)));
    expect(atOnce.sort()).toEqual([201, "invite_needed", "invite_needed"]);
    const asked = await client.call("register_publisher", registering);
    expect(asked.text).toContain("`invite`");
    expect((await client.call("register_publisher", { ...registering, invite: two })).text).toContain("bbk_");
    const form = { do: "register", name: "Newcomer", accept_terms: "yes" };
    const send = async (fields: object) =>
      (
        await fetch(`${board.url}/join`, {
          method: "POST",
          body: new URLSearchParams({ ...form, ...fields }),
        })
      ).text();
    expect(await send({})).toContain('name="invite"');
    expect(await send({ invite: ` ${three} ` })).toContain("bbk_");
    expect(await board.contents()).not.toContain(two);
  });

  it("takes a code with blanks around it, as long as its days are not over", async () => {
    const [one = "", two = ""] = await invites("--count", "2", "--days", "3");
    const { store } = board.board;
    const daysLater = (code: string, days: number) =>
      acceptsInvite(store, code, Date.now() + days * 86_400_000);
    expect([await daysLater(one, 3.001), await daysLater(one, 2.999)]).toEqual([false, true]);
    expect(await attempt(` ${two}\n`)).toBe(201);
  });
});

describe("HOLD_FIRST_POSTS=2", () => {
  const board = useTestBoard({ HOLD_FIRST_POSTS: "2", OPERATOR_KEY, TRUST_PROXY: "1" });
  const author = usePublisher(board, "Newcomer");
  const moderate = (...args: string[]) =>
    runHere(["moderate", ...args], { STORE_URL: board.board.config.storeUrl });
  const own = (id: string) => call(board, `GET /posts/${id}`, undefined, author);

  it("holds a new publisher's posts until the operator has released two, and tells the author", async () => {
    const sent = { title: "Zither lessons", body: "An hour a week." };
    const made = await call(board, "POST /posts", sent, author);
    expect([made.status, made.body.meta.note]).toEqual([
      201,
      "This board shows the first posts of a new publisher once its operator has looked at them: until then only you see this one. Nothing needs to be sent again.",
    ]);
    const first = made.body.data;
    const others = [await write(board, author.key), await write(board, author.key)];
    expect((await call(board, `GET /posts/${first.id}`)).body.error.code).toBe("post_hidden");
    expect((await own(first.id)).body.meta.note).toBe(made.body.meta.note);
    expect(await titles(board, "/search?q=zither")).toEqual([]);
    const listed = (await moderate("list")).stdout;
    expect(listed).toMatch(
      new RegExp(`Waiting for a look:\n${first.id}\thidden\t.*\tZither lessons\tNewcomer`),
    );
    const operator = await Operator.signIn(board, OPERATOR_KEY);
    expect(await operator.page("/operate")).toContain("Zither lessons");
    await operator.act({ do: "restore", id: first.id, reason: "fine" });
    expect(await titles(board, "/search?q=zither")).toEqual(["Zither lessons"]);
    expect((await own(first.id)).body.meta.note).toBeUndefined();
    // One is not enough, however many wait.
    expect((await own((await write(board, author.key)).id)).body.meta.note).toContain("has looked");
    await moderate("restore", others[0].id, "--reason", "fine");
    const free = await write(board, author.key, { title: "Zither for sale" });
    expect((await call(board, `GET /posts/${free.id}`)).status).toBe(200);
    await moderate("remove", others[1].id, "--reason", "spam");
    expect((await own(others[1].id)).body.error.hint).toContain('"spam"');
    // What the operator relays waits for nobody.
    const [relayed] = await writeMany(board, [
      { kind: "offer", title: "A relayed zeppelin", body: "It flies on Sunday." },
    ]);
    expect((await call(board, `GET /posts/${relayed}`)).status).toBe(200);
    // One waits still.
    expect(await operator.page("/operate")).toContain("First posts that wait for a look");
  });

  it("holds answers, which count once they are released, and not what the operator hid", async () => {
    const root = await write(board, author.key);
    const other = await register(board, "Other");
    const reply = await write(board, other.key, { parent_id: root.id });
    const count = async () => (await own(root.id)).body.data.reply_count;
    expect(await count()).toBe(0);
    const inbox = (more = "") => call(board, `GET /publishers/me/inbox${more}`, undefined, author);
    const before = (await inbox()).body;
    const late = await write(board, other.key, { title: "A zeppelin" });
    const saved = await call(board, "POST /subscriptions", { query: { q: "zeppelin" } }, author);
    expect(saved.status).toBe(201);
    const released = Date.now();
    await moderate("restore", "--publisher", other.id, "--reason", "fine");
    expect(await count()).toBe(1);
    const news = async () =>
      (await inbox(`?cursor=${before.next_cursor}`)).body.data.map(
        ({ type, post }: { type: string; post: { id: string } }) => `${type} ${post.id}`,
      );
    await expect.poll(news).toEqual(expect.arrayContaining([`reply ${reply.id}`, `match ${late.id}`]));
    const [answer] = (await inbox(`?cursor=${before.next_cursor}`)).body.data;
    expect(Date.parse(answer.at)).toBeGreaterThanOrEqual(released);
    await moderate("hide", reply.id, "--reason", "not fine");
    const { held } = JSON.parse((await moderate("list", "--json")).stdout);
    expect(held.map(({ id }: { id: string }) => id)).not.toContain(reply.id);
  });
});
