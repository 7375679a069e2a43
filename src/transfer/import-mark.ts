import { z } from "zod";
import type { SettingStore } from "../ports/store/index.ts";

/** The setting that says how far an import has come; it moves in the transactions of the rows. */
export const IMPORT_MARK = "import";

const Mark = z.object({
  /** Id of the export. */
  export: z.string(),
  /** Lines of the file that are in the board. */
  lines: z.int().min(0),
  done: z.boolean(),
});
export type Mark = z.infer<typeof Mark>;

export const markText = (mark: Mark): string => JSON.stringify(mark);

/** The mark of a board, or null where nothing was imported. */
export async function readMark(settings: SettingStore): Promise<Mark | null> {
  const text = await settings.get(IMPORT_MARK);
  return text === null ? null : Mark.parse(JSON.parse(text));
}

/**
 * Refuses to run a board with half of its rows, which would match, erase and count wrongly.
 * @throws Error in one line for the operator
 */
export async function refuseHalfImported(settings: SettingStore): Promise<void> {
  const mark = await readMark(settings);
  if (mark === null || mark.done) return;
  throw new Error(
    "This board is half imported. Run `agent-board import` with the same file again; it goes on.",
  );
}
