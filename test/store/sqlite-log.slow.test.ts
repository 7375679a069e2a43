import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import sqlite from "../../src/store/sqlite/index.ts";
import { useFolder } from "../support/boards/use.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const folder = useFolder();

it("an erasure says that a reader elsewhere keeps the log, and finishes once that ends, also after a restart", async () => {
  const open = () => sqlite.openStore(`sqlite:${join(folder, "board.db")}`);
  const store = await open();
  await store.publishers.insert(aPublisher("pub_a", { name: "XYZZYNAME" }));
  await store.posts.insert(aPost("p", { title: "XYZZY", body: "XYZZYBODY" }));
  const reader = new DatabaseSync(store.file, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM post").get();
  const answer = await store.publishers.erase("pub_a");
  expect(answer).toEqual({ posts: 1, subscriptions: 0, complete: false });
  expect(await store.posts.get("p")).toBeNull();
  const inFiles = (text: string) =>
    readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(text));
  expect(inFiles("XYZZY")).toEqual(["board.db-wal"]);

  // A crash leaves the log as it is; closing cannot empty it either while the reader is there.
  await store.close();
  const again = await open();
  expect(await again.finishErasures()).toBe(false);
  expect(inFiles("XYZZY")).not.toEqual([]);

  // Other writes alone leave the rest of the log as it was.
  await again.settings.set("anything", "else");
  // A reader that ends meanwhile costs no further minute.
  const finished = again.finishErasures();
  setTimeout(() => {
    reader.exec("COMMIT");
    reader.close();
  }, 20);
  expect(await finished).toBe(true);
  expect([...inFiles("XYZZY"), ...inFiles("pub_a")]).toEqual([]);
  expect(await again.finishErasures()).toBe(true);
  await again.close();
});
