/**
 * Does every failing or odd first call lead on to a success, for an agent that has no model and follows the texts to the
 * letter? And what do missions cost in calls and tokens?
 *
 *   npx tsx bench/agent/index.ts [--all]     --all prints every course that needed more than one call
 *
 * The board runs in this process on SQLite with the model; tokens are of o200k_base.
 */
import { getEncoding } from "js-tiktoken";
import { table } from "../support/measure.ts";
import { MODEL_FILES } from "../support/model.ts";
import { type Course, ScriptedAgent } from "./agent.ts";
import { MEANT } from "./meant.ts";
import { MISSIONS } from "./missions.ts";
import type { Situation } from "./situation.ts";
import { SITUATIONS } from "./situations.ts";
import { clientOf, makeWorld, type World } from "./world.ts";

const encoding = getEncoding("o200k_base");
const tokensOf = (text: string) => encoding.encode(text).length;

/** The agent's person wants this, by the names of arguments. */
const WISHES = {
  name: "Ana's agent",
  accept_terms: true,
  title: "Ladder to lend",
  body: "Four metres, for a day.",
  q: "repair",
  kind: "event",
  lat: 52.52,
  lng: 13.4,
  query: { q: "ladder" },
  reason: "spam",
  timezone: "Europe/Berlin",
  starts_at: "2098-05-02T10:00:00+02:00",
};

/** Follows an agent from one first call. */
export async function courseFrom(
  world: World,
  { at = "/mcp", key, first, says }: Situation,
): Promise<Course> {
  const client = await clientOf(world, at, key === "none" ? null : world.key);
  try {
    const agent = await ScriptedAgent.with(client, WISHES);
    const course = await agent.pursue(first(world));
    return { ...course, ok: course.ok && (says?.test(course.texts.at(-1) ?? "") ?? true) };
  } finally {
    await client.close();
  }
}

/** Counts calls and tokens of the missions. */
async function costs(world: World): Promise<string[][]> {
  const rows: string[][] = [];
  for (const mission of [...MISSIONS, ...MEANT]) {
    const { calls: made, reached: done } = await mission.run(world);
    const sent = made.reduce((sum, { tool, args }) => sum + tokensOf(JSON.stringify({ tool, args })), 0);
    const read = made.reduce((sum, { text }) => sum + tokensOf(text), 0);
    rows.push([mission.name, done ? "yes" : "NO", String(made.length), String(sent), String(read)]);
  }
  return rows;
}

/** Resolves when every post has its vector. */
async function embedded({ board: { board } }: World): Promise<void> {
  await board.embedder.settled();
  while ((await board.store.work.backlog("embed")) > 0) await new Promise((done) => setTimeout(done, 100));
}

async function main(): Promise<void> {
  const world = await makeWorld({ EMBEDDINGS: "required", MODEL_DIR: MODEL_FILES });
  try {
    await embedded(world);
    const rows = await costs(world);
    const courses: [string, Course][] = [];
    for (const situation of SITUATIONS) courses.push([situation.name, await courseFrom(world, situation)]);
    const reached = courses.filter(([, { ok }]) => ok);
    const calls = reached.reduce((sum, [, { steps }]) => sum + steps.length, 0);
    console.log(
      `${reached.length} of ${courses.length} odd first calls lead to a success, in ${(calls / reached.length).toFixed(1)} calls`,
    );
    for (const [name, { ok, steps, texts }] of courses) {
      if (ok && !(process.argv.includes("--all") && steps.length > 1)) continue;
      console.log(`\n${ok ? "ok" : "STUCK"}: ${name}`);
      for (const [at, { tool, args }] of steps.entries()) {
        console.log(`  ${tool} ${JSON.stringify(args).slice(0, 200)}`);
        console.log(`    ${(texts[at] ?? "").slice(0, 400).replaceAll("\n", "\n    ")}`);
      }
    }
    console.log(`\n${table(["mission", "reached", "calls", "tokens written", "tokens read"], rows)}`);
  } finally {
    await world.stop();
  }
}

if (process.argv[1] === import.meta.filename) await main();
