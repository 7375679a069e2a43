import { afterAll, describe, expect, it } from "vitest";
import { BoardProcess, freePort } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { turnsMsOf } from "../support/boards/turns.ts";
import { useFolder } from "../support/boards/use.ts";

const CHARS = 7_990;
const SILENT_MS = 1_000;
/** Texts that have cost minutes, or that look as if they could. */
const TEXTS: Record<string, string> = {
  "stems in one word": `${"boot".repeat(1_996)}qqqqqq`,
  "stems of another language": "danse".repeat(1_598),
  "one letter": "a".repeat(CHARS),
  "letters apart": "a ".repeat(CHARS / 2),
  digits: "9f8a7b6c".repeat(CHARS / 8),
  "marks between words": "don't-stop_it.now/".repeat(CHARS / 18),
  "characters of no word": "自転車を探しています".repeat(CHARS / 10),
  pictures: "🚲🎻".repeat(CHARS / 4),
};

const folder = useFolder();
let board: BoardProcess | undefined;
afterAll(() => board?.kill());

describe("/healthz", () => {
  it("answers within a second while any text of 8,000 characters is written and embedded, also after a restart", async () => {
    board = await BoardProcess.start({ DATA_DIR: folder, EMBEDDINGS: "off" });
    const { key } = await register(board);
    const writing = longestSilence(board);
    for (const [title, text] of Object.entries(TEXTS)) {
      const post = { title, body: text.slice(0, CHARS) };
      const { status, body } = await call(board, "POST /posts", post, { key });
      expect([title, status, body.error]).toEqual([title, 201, undefined]);
    }
    expect(await writing.stop()).toBeLessThan(SILENT_MS);
    await board.kill();

    // All texts wait for the model now, and two more arrive.
    const admin = await freePort();
    board = await BoardProcess.start({ DATA_DIR: folder, EMBEDDINGS: "required", ADMIN_PORT: String(admin) });
    const embedding = longestSilence(board);
    for (const text of [TEXTS["one letter"], TEXTS["stems in one word"]])
      await call(board, "POST /posts", { title: "More", body: `b${text}`.slice(0, CHARS) }, { key });
    const waiting = async () =>
      /^board_work_waiting\{kind="embed"\} (\d+)/m.exec(
        await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text(),
      )?.[1];
    expect(await eventually(waiting, (left) => left === "0", 60_000)).toBe("0");
    expect(await embedding.stop()).toBeLessThan(SILENT_MS);
  });
});

/** Asks /healthz until it is stopped; then says how many milliseconds of this process an answer took at most. */
function longestSilence({ site }: BoardProcess): { stop: () => Promise<number> } {
  const over = new AbortController();
  const asking = (async () => {
    let longest = 0;
    while (!over.signal.aborted) {
      const answer = fetch(`${site}/healthz`).then((response) => response.text());
      longest = Math.max(longest, await turnsMsOf(answer));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return longest;
  })();
  return {
    stop() {
      over.abort();
      return asking;
    },
  };
}
