import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import sqlite from "../../src/store/sqlite/index.ts";
import { eventually } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const folder = useFolder();

/** A board that has just erased a publisher, while a reader elsewhere keeps the log. */
async function erased(name: string) {
  const place = join(folder, name);
  const open = () => sqlite.openStore(`sqlite:${join(place, "board.db")}`);
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
    readdirSync(place).filter((file) => readFileSync(join(place, file)).includes(text));
  expect(inFiles("XYZZY")).toEqual(["board.db-wal"]);
  const endRead = () => {
    reader.exec("COMMIT");
    reader.close();
  };
  return { store, open, inFiles, endRead };
}

describe.concurrent("erasing a publisher while a reader elsewhere keeps the log", () => {
  it("says so, and finishes once that ends, also after a restart", async () => {
    const { store, open, inFiles, endRead } = await erased("restarted");
    // A crash leaves the log as it is; closing cannot empty it either while the reader is there.
    await store.close();
    const again = await open();
    expect(await again.finishErasures()).toBe(false);
    expect(inFiles("XYZZY")).not.toEqual([]);

    // Other writes alone leave the rest of the log as it was.
    await again.settings.set("anything", "else");
    // A reader that ends meanwhile costs no further minute.
    const finished = again.finishErasures();
    setTimeout(endRead, 200);
    expect(await finished).toBe(true);
    expect([...inFiles("XYZZY"), ...inFiles("pub_a")]).toEqual([]);
    expect(await again.finishErasures()).toBe(true);
    await again.close();
  });

  it("empties the log within seconds of the reader's end, though nobody asks again", async () => {
    const { store, inFiles, endRead } = await erased("left alone");
    endRead();
    const left = await eventually(
      async () => inFiles("XYZZY"),
      (found) => found.length === 0,
    );
    expect(left).toEqual([]);
    await store.close();
  });
});
