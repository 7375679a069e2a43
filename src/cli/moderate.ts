import { Command } from "commander";
import { Reports } from "../domain/reports.ts";
import { isoTime } from "../domain/resources.ts";
import { bareId } from "../schema/scalars.ts";
import { counted } from "../schema/text.ts";
import { withBoard } from "./open-store.ts";
import { commandBelow, print, wholeNumber } from "./output.ts";

const ACTS = [
  ["hide", "post", "hide a post everywhere; its owner still sees it"],
  ["restore", "post", "show a hidden post again"],
  ["remove", "post", "remove a post and its replies"],
  ["suspend", "publisher", "hide a publisher's posts from search and refuse its writes"],
  ["reinstate", "publisher", "end a suspension"],
] as const;

/** `agent-board moderate …`: the operator's acts, beside a running board. */
export function moderateCommand(): Command {
  const command = new Command("moderate");
  commandBelow(command, "list", "posts with reports, most reporters first, and the newest acts")
    .option("--limit <n>", "how many of each", wholeNumber(1, 9999), 20)
    .action(({ limit, json }: { limit: number; json: boolean }) =>
      withReports((reports) => list(reports, limit, json)),
    );
  for (const [act, subject, description] of ACTS) {
    commandBelow(command, act, description)
      .argument(`<${subject}>`, `id or page URL of the ${subject}`)
      .requiredOption("--reason <text>", "kept in the moderation log")
      .action((id: string, { reason, json }: { reason: string; json: boolean }) =>
        withReports(async (reports) => {
          const bare = bareId(id, subject === "post" ? "p" : "publishers");
          await reports.moderate(act, bare, reason, Date.now());
          print(json, { action: act, subject: bare, reason }, `${act} ${bare}: done`);
        }),
      );
  }
  return command;
}

const withReports = (act: (reports: Reports) => Promise<void>): Promise<void> =>
  withBoard((store, { reportsToHide }) => act(new Reports({ store, reportsToHide })));

async function list(reports: Reports, limit: number, json: boolean): Promise<void> {
  const queue = (await reports.queue(limit)).filter(({ state }) => state !== "removed");
  const history = await reports.history(null, limit);
  const lines = queue.map(
    ({ postId, reporters, reasons, lastAt, state }) =>
      `${postId}\t${state}\t${counted(reporters, "reporter")}\t${reasons.join(", ")}\t${isoTime(lastAt)}`,
  );
  const acts = history.map(
    ({ at, action, subject, actor, reason }) =>
      `${isoTime(at)}\t${action} ${subject}\tby ${actor}\t${reason}`,
  );
  const facts = {
    reported: queue.map(({ postId: post, lastAt, ...one }) => ({ post, ...one, last_at: isoTime(lastAt) })),
    acts: history.map((act) => ({ ...act, at: isoTime(act.at) })),
  };
  print(json, facts, `Reported posts:\n${lines.join("\n") || "none"}\n\nActs:\n${acts.join("\n") || "none"}`);
}
