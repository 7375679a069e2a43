import { createHash } from "node:crypto";
import type { RowPage, TransferStore } from "../ports/store/transfer.ts";
import { endLine, headerLine, rowLine, rowsOf } from "./format.ts";
import { IMPORT_MARK } from "./import-board.ts";

/** Writes the text of an export, a few lines at a time, all of one moment (see `BoardSnapshot`). */
export async function* exportText(
  transfer: TransferStore,
  options: {
    id: string;
    createdAt: string;
    secretKeyCheck: string | null;
    keptSettings: readonly string[];
    progress: (total: number) => (rows: number) => void;
  },
): AsyncGenerator<string> {
  const snapshot = await transfer.snapshot();
  const hash = createHash("sha256");
  const textOf = (lines: readonly string[]) => {
    const text = lines.map((line) => `${line}\n`).join("");
    hash.update(text);
    return text;
  };
  try {
    const { setting: _settings, ...counts } = snapshot.counts;
    const written = options.progress(Object.values(counts).reduce((sum, n) => sum + n, 0));
    yield textOf([
      headerLine({
        id: options.id,
        created_at: options.createdAt,
        secret_key_check: options.secretKeyCheck,
        rows: counts,
      }),
    ]);
    let rows = 0;
    for await (const page of snapshot.pages()) {
      const moved = rowsOf(withoutSettings(page, [...options.keptSettings, IMPORT_MARK]));
      yield textOf(moved.map(rowLine));
      rows += moved.length;
      written(moved.length);
    }
    yield `${endLine({ rows, sha256: hash.digest("hex") })}\n`;
  } finally {
    await snapshot.close();
  }
}

function withoutSettings(page: RowPage, names: readonly string[]): RowPage {
  if (page.kind !== "setting") return page;
  return { kind: "setting", rows: page.rows.filter(({ name }) => !names.includes(name)) };
}
