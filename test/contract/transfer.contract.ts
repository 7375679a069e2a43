import { createHash, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { Store } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { exportText } from "../../src/transfer/export-board.ts";
import { checkExport, importBoard } from "../../src/transfer/import-board.ts";
import { startBoard } from "../support/boards/board.ts";
import { call, eventually } from "../support/boards/client.ts";
import { fillStore } from "../support/boards/filled-store.ts";
import { RECORDED_AT, recorded, recordedKeys } from "../support/boards/recorded.ts";
import { answersOf, ENVIRONMENT, type RichBoard, useBoard } from "../support/boards/rich-board.ts";
import { useFolder } from "../support/boards/use.ts";
import { startWebhook, startWitness, type Webhook } from "../support/clients/webhooks.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

/** A place for a store. */
export interface Place {
  url: string;
  empty(): Promise<void> | void;
  destroy(): Promise<void> | void;
}

const T0 = Date.UTC(2026, 10, 20, 12);
const ignored = () => {};

/** What a move of a board promises, for one pair of stores. */
export function describeTransfer(
  name: string,
  places: { from: () => Promise<Place>; to: () => Promise<Place> },
): void {
  describe(`a board that moves from ${name}`, () => {
    const folder = useFolder();
    const file = join(folder, "board.jsonl");
    let from: Place;
    let to: Place;
    const open = ({ url }: Place) => openStore(readConfig({ STORE_URL: url }).storeUrl);
    const within = async <T>(place: Place, job: (store: Store) => Promise<T>): Promise<T> => {
      const store = await open(place);
      try {
        return await job(store);
      } finally {
        await store.close();
      }
    };
    const importInto = (place: Place, path = file) =>
      within(place, async (store) => importBoard(store, path, await checkExport(path, ignored), ignored));
    /** Empties the second place, moves the board there, and gives both sides' rows. */
    const move = async (): Promise<{ before: string[]; after: string[] }> => {
      await to.empty();
      const before = await within(from, (store) => exportTo(store, file));
      await importInto(to);
      return { before, after: await within(to, (store) => exportTo(store, join(folder, "after.jsonl"))) };
    };

    beforeAll(async () => {
      from = await places.from();
      to = await places.to();
    });
    afterAll(async () => {
      await from.destroy();
      await to.destroy();
    });

    describe("and was used by agents", () => {
      let rich: RichBoard;
      let receiver: Webhook;
      let healthy = false;
      beforeAll(async () => {
        await from.empty();
        // What has failed is not due again while the test runs.
        const failure = { status: 500, headers: { "retry-after": "3600" } };
        receiver = await startWebhook(() => (healthy ? {} : failure));
        rich = await useBoard({ STORE_URL: from.url }, receiver);
      });
      afterAll(() => receiver.stop());

      it("has the same rows of every kind", async () => {
        const { before, after } = await move();
        expect(after).toEqual(before);
        const kinds = new Set(before.map((line) => Object.keys(JSON.parse(line))[0]));
        expect([...kinds].sort()).toEqual(
          [
            ...["counter", "delivery", "inbox", "moderation", "post", "publisher", "push", "report"],
            ...["setting", "subscription", "told_series", "work"],
          ].sort(),
        );
        const text = before.join("\n");
        for (const state of ["active", "hidden", "removed"]) expect(text).toContain(`"state":"${state}"`);
        expect(text).not.toContain(ENVIRONMENT.SECRET_KEY);
      });

      it("answers as before, sends nothing twice, and goes on with what was open", async () => {
        await move();
        healthy = true;
        const [sent, seen] = [receiver.messages.length, receiver.challenges.length];
        const board = await startBoard({ ...ENVIRONMENT, STORE_URL: to.url });
        try {
          const { owner, answers, keyed } = rich;
          const pending = () => call(board, `GET /subscriptions/${rich.waiting}/pending`, undefined, owner);
          const matched = await eventually(pending, ({ body }) => body.data.length > 0);
          expect(matched.body.data.map((post: { id: string }) => post.id)).toEqual([rich.late]);
          expect(await answersOf(board, owner.key, answers.keys())).toEqual(answers);
          const inbox = await call(board, `GET ${rich.inbox}`, undefined, owner);
          expect(inbox.body.data.at(-1)).toMatchObject({ type: "match", post: { id: rich.late } });

          const again = await call(board, "POST /posts", keyed.sent, keyed);
          expect(again.status).toBe(200);
          expect(again.body.data.id).toBe(keyed.id);

          // The push that was being sent when its process died is due at once.
          await eventually(
            async () => receiver.messages.length,
            (count) => count > sent,
          );
          // A second sending of it would come before these.
          await (await startWitness(board))();
          expect(receiver.messages.length - sent).toBe(1);
          expect(receiver.challenges.length).toBe(seen);
        } finally {
          await board.stop();
        }
      });
    });

    describe("by a file", () => {
      const FEW = 20;
      /** More than two pages of a snapshot, and than two transactions of an import. */
      const MANY = 1200;
      const fill = async (posts: number) => {
        await from.empty();
        await to.empty();
        await within(from, (store) => fillStore(store, posts));
      };

      it("is of one moment, however much is written meanwhile", async () => {
        await fill(MANY);
        const lines = await within(from, async (store) => {
          const snapshot = await store.transfer.snapshot();
          await store.posts.remove("p7", T0);
          await store.posts.insert(aPost("q"));
          const posts: string[] = [];
          for await (const { kind, rows } of snapshot.pages()) {
            if (kind !== "post") continue;
            posts.push(...rows.map(({ id, state }) => `${id} ${state}`));
            if (posts.length === 500) await store.posts.remove("p1100", T0);
          }
          await snapshot.close();
          expect(snapshot.counts.post).toBe(MANY);
          return posts;
        });
        expect(lines).toHaveLength(MANY);
        expect(lines.filter((line) => !line.endsWith(" active"))).toEqual([]);
      });

      it("leaves out what hosts subscribed to, with all that came of it, and their secrets", async () => {
        await fill(FEW);
        const subscriptions = [
          aSubscription("sub_own", { webhookUrl: "https://x.org/", webhookVerifiedAt: T0 }),
          aSubscription("sub_host", {
            ...{ event: "post.matched", clientSecret: "sealed secret", expiresAt: T0 + 1 },
            ...{ webhookUrl: "https://host.example/", webhookVerifiedAt: T0 },
          }),
          aSubscription("sub_poll", { event: "post.replied", expiresAt: T0 + 1 }),
        ];
        const rows = await within(from, async (store) => {
          for (const row of subscriptions) await store.subscriptions.insert(row, 50);
          const matches = subscriptions.map(({ id }) => ({
            subscriptionId: id,
            postId: "p7",
            matchedAt: T0,
          }));
          await store.subscriptions.deliver(matches, []);
          return exportTo(store, file);
        });
        const left = rows.filter((row) => /^\{"(subscription|delivery|push|inbox)"/.test(row));
        expect(left.map((row) => /^\{"(\w+)".*sub_own/.exec(row)?.[1])).toEqual([
          "delivery",
          "inbox",
          "push",
          "subscription",
        ]);
        expect(rows.join("")).not.toMatch(/sub_host|sub_poll|sealed|host\.example/);
        await importInto(to);
        expect(await within(to, (store) => exportTo(store, join(folder, "after.jsonl")))).toEqual(rows);
      });

      it("is in the board once and whole though it is imported twice, also at the same time", async () => {
        await fill(MANY);
        const before = await within(from, (store) => exportTo(store, file));
        const outcomes = await Promise.allSettled([importInto(to), importInto(to)]);
        const refused = outcomes.flatMap((outcome) =>
          outcome.status === "rejected" ? [outcome.reason.message] : [],
        );
        for (const message of refused) expect(message).toMatch(/not empty|Another import|is, or was/);
        await importInto(to);
        expect(await importInto(to)).toBeNull();
        expect(await within(to, (store) => exportTo(store, join(folder, "after.jsonl")))).toEqual(before);
      });

      it("is refused by a board that is not empty, and one that holds another import", async () => {
        await fill(FEW);
        await within(from, (store) => exportTo(store, file));
        await within(to, (store) => store.publishers.insert(aPublisher("pub_x")));
        await expect(importInto(to)).rejects.toThrow("This board is not empty (publisher: 1)");
        await to.empty();
        // A look at a new board leaves both.
        await within(to, (store) => store.settings.set("secret_key", "k".repeat(40)));
        await within(to, (store) => store.statistics.add([{ day: "2026-11-20", name: "searches", n: 1 }]));
        await importInto(to);
        await within(from, (store) => exportTo(store, file));
        await expect(importInto(to)).rejects.toThrow("is, or was, imported from another export");
      });

      it("says so when others wrote to the board meanwhile", async () => {
        await fill(MANY);
        await within(from, (store) => exportTo(store, file));
        const checked = await checkExport(file, ignored);
        await within(to, async (store) => {
          let writing: Promise<void> | undefined;
          const read = () => {
            writing ??= store.publishers.insert(aPublisher("pub_x"));
          };
          await expect(importBoard(store, file, checked, read)).rejects.toThrow("publisher: 2 and not 1");
          await writing;
        });
      });

      it("writes nothing of a file that is cut off or was changed", async () => {
        await fill(FEW);
        await within(from, (store) => exportTo(store, file));
        const text = await readFile(file, "utf8");
        const damaged = join(folder, "damaged.jsonl");
        for (const [changed, why] of [
          [text.slice(0, -1000), /is cut off/],
          [text.slice(0, text.lastIndexOf('{"end"')), /is cut off/],
          [text.replace("Title of p3", "Title of p4"), /changed or damaged/],
          [text.replace('"agent_board_export":1', '"agent_board_export":2'), /Line 1: .*reads version 1/],
        ] as const) {
          await writeFile(damaged, changed);
          await expect(importInto(to, damaged)).rejects.toThrow(why);
        }
        expect(await within(to, (store) => store.publishers.get("pub_a"))).toBeNull();
      });

      it("takes recorded exports of earlier builds with everything in them, and says what it drops", async () => {
        for (const [name, dropped] of [
          ["before-0.1.0", { "subscription.learning": 3, reported: 1 }],
          ["0.1.0", {}],
        ] as const) {
          await to.empty();
          const path = recorded(`${name}.export.jsonl`);
          const checked = await checkExport(path, ignored);
          expect(Object.fromEntries(checked.dropped)).toEqual(dropped);
          await importInto(to, path);
          expect(await importInto(to, path)).toBeNull();
          const rows = await within(to, (store) => exportTo(store, join(folder, "after.jsonl")));
          const said = JSON.parse((await readFile(path, "utf8")).split("\n")[0] ?? "").rows;
          const kinds = rows.map((line) => Object.keys(JSON.parse(line))[0] ?? "");
          for (const kind of ["publisher", "post", "subscription", "delivery", "inbox", "report", "counter"])
            expect([kind, kinds.filter((one) => one === kind).length]).toEqual([kind, said[kind]]);
          const { keys, secret_key: SECRET_KEY, ids } = recordedKeys(name);
          const board = await startBoard({ SECRET_KEY, STORE_URL: to.url }, { clock: () => RECORDED_AT });
          try {
            for (const key of Object.values(keys))
              expect((await call(board, "GET /publishers/me", undefined, { key })).status).toBe(200);
            expect((await call(board, `GET /posts/${ids[0]}`)).status).toBe(200);
            expect((await call(board, `GET /posts/${ids[2]}`)).status).toBe(404);
          } finally {
            await board.stop();
          }
        }
      });
    });
  });
}

/** Writes an export to a file and gives its rows, in an order that does not depend on the store. */
export async function exportTo(store: Store, file: string): Promise<string[]> {
  let text = "";
  const options = {
    createdAt: new Date(T0).toISOString(),
    secretKeyCheck: null,
    progress: () => ignored,
  };
  const keptSettings = ["secret_key", "board_id"];
  for await (const some of exportText(store.transfer, { ...options, id: randomUUID(), keptSettings }))
    text += some;
  await writeFile(file, text);
  return text.trimEnd().split("\n").slice(1, -1).sort();
}

/** The lines of an export that were changed, with a checksum that fits. */
export function sealed(lines: readonly string[]): string {
  const rows = lines.slice(0, -1);
  const sha256 = createHash("sha256")
    .update(rows.map((line) => `${line}\n`).join(""))
    .digest("hex");
  const end = JSON.stringify({ end: { rows: rows.length - 1, sha256 } });
  return `${[...rows, end].join("\n")}\n`;
}
