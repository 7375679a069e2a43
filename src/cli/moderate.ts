import { Command, InvalidArgumentError } from "commander";
import { readConfig } from "../config.ts";
import { Reports } from "../domain/reports.ts";
import { isoTime } from "../domain/resources.ts";
import { bareId } from "../schema/ids.ts";
import { refuseHalfImported } from "../transfer/import-mark.ts";
import { withBoard } from "./open-store.ts";

const ACTS = [
  ["hide", "post", "hide a post everywhere; its owner still sees it"],
  ["restore", "post", "show a hidden post again"],
  ["remove", "post", "remove a post and its replies"],
  ["suspend", "publisher", "hide a publisher's posts from search and refuse its writes"],
  ["reinstate", "publisher", "end a suspension"],
] as const;

/** `agent-board moderate …`: the operator's acts, beside a running board. */
export function moderateCommand(): Command {
  const command = new Command("moderate").description(
    "hide, restore, remove, suspend, reinstate; works while the board runs",
  );
  command
    .command("list")
    .description("posts with reports, most reporters first, and the newest acts")
    .option("--limit <n>", "how many of each", positive, 20)
    .action(({ limit }: { limit: number }) => withReports((reports) => list(reports, limit)));
  for (const [act, subject, description] of ACTS) {
    command
      .command(act)
      .description(description)
      .argument(`<${subject}>`, `id or page URL of the ${subject}`)
      .requiredOption("--reason <text>", "kept in the moderation log")
      .action((id: string, { reason }: { reason: string }) =>
        withReports(async (reports) => {
          const bare = bareId(id, subject === "post" ? "p" : "publishers");
          await reports.moderate(act, bare, reason, Date.now());
          process.stdout.write(`${act} ${bare}: done\n`);
        }),
      );
  }
  return command;
}

async function withReports(act: (reports: Reports) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  await withBoard(config, async (store) => {
    await refuseHalfImported(store.settings);
    await act(new Reports({ store, reportsToHide: config.reportsToHide }));
  });
}

async function list(reports: Reports, limit: number): Promise<void> {
  const lines = (await reports.queue(limit))
    .filter(({ state }) => state !== "removed")
    .map(
      ({ postId, reporters, reasons, lastAt, state }) =>
        `${postId}\t${state}\t${reporters} reporters\t${reasons.join(", ")}\t${isoTime(lastAt)}`,
    );
  const acts = (await reports.history(null, limit)).map(
    ({ at, action, subject, actor, reason }) =>
      `${isoTime(at)}\t${action} ${subject}\tby ${actor}\t${reason}`,
  );
  process.stdout.write(
    `Reported posts:\n${lines.join("\n") || "none"}\n\nActs:\n${acts.join("\n") || "none"}\n`,
  );
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("Must be a whole number from 1 to 9999.");
  return Number(text);
}
