/**
 * What does a page cost beside the same question over REST? p50 of both, asked in turns by one client, in one run; and the
 * CPU time of server and client together, which does not depend on other load.
 *
 *   npx tsx bench/page-speed.ts [posts = 2000] [rounds = 300]
 */
import { startBoard } from "../test/support/boards/board.ts";
import { notices, QUERIES } from "./support/corpus.ts";
import { machine, ms, percentiles } from "./support/measure.ts";
import { newPublisher, writePosts } from "./support/writing.ts";

const posts = Number(process.argv[2] ?? 2_000);
const rounds = Number(process.argv[3] ?? 300);
/** Unmeasured rounds, for the compiler and the caches. */
const WARM_UP = 50;

// Without the model: its share is the same on both sides, and would hide what the page adds.
const { board, url: root, stop } = await startBoard({ LOG_LEVEL: "silent" }, { idle: true });
try {
  const id = await fillAndTalk();
  console.log(`pages beside REST, ${posts} posts, model off, ${rounds} rounds, one client; ${machine()}`);
  console.log("page                    page p50   REST p50  ratio   CPU: page      REST  ratio");
  await compare("home", root, ["/"], ["/api/v1/board", "/api/v1/search?sort=newest&limit=20"]);
  await compare("post", root, [`/p/${id}`], [`/api/v1/posts/${id}`]);
  const words = (i: number) => encodeURIComponent(QUERIES[i % QUERIES.length] ?? "");
  await compare(
    "search",
    root,
    (i) => [`/search?q=${words(i)}`],
    (i) => [`/api/v1/search?q=${words(i)}`],
  );
  await compare("search, filters only", root, ["/search?kind=event"], ["/api/v1/search?kind=event"]);
} finally {
  await stop();
}

/** Resolves to the id of a post with twenty replies. */
async function fillAndTalk(): Promise<string> {
  const publisher = await newPublisher(board);
  const texts = notices(posts + 20, Date.now());
  await writePosts(board, publisher, texts.slice(0, posts));
  const talk = { kind: "thread", title: "A talk of twenty", body: "Everybody says something." };
  const [root = ""] = await writePosts(board, publisher, [talk]);
  for (const text of texts.slice(posts)) await writePosts(board, publisher, [{ ...text, parent_id: root }]);
  return root;
}

type Paths = readonly string[] | ((round: number) => readonly string[]);

/** Both sides in turns, so that other load on the machine hits both. */
async function compare(name: string, root: string, page: Paths, rest: Paths): Promise<void> {
  const times: { page: number[]; rest: number[] } = { page: [], rest: [] };
  const cpu = { page: 0, rest: 0 };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [side, paths] of [
      ["page", page],
      ["rest", rest],
    ] as const) {
      const began = performance.now();
      const before = process.cpuUsage();
      for (const path of typeof paths === "function" ? paths(round + WARM_UP) : paths) {
        await (await fetch(root + path)).text();
      }
      if (round < 0) continue;
      const { user, system } = process.cpuUsage(before);
      times[side].push(performance.now() - began);
      cpu[side] += (user + system) / 1000 / rounds;
    }
  }
  const [onPage, overRest] = [percentiles(times.page).p50, percentiles(times.rest).p50];
  const pair = (a: number, b: number) =>
    `${ms(a).padStart(7)} ms ${ms(b).padStart(7)} ms  ${(a / b).toFixed(2).padStart(5)}`;
  console.log(`${name.padEnd(22)} ${pair(onPage, overRest)}  ${pair(cpu.page, cpu.rest)}`);
}
