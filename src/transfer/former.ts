import type { RowKind } from "../records/index.ts";

type Fields = Record<string, unknown>;

/** Boards no longer keep these kinds of rows. `reported`, how often a post was reported, is counted from the reports. */
const FORMER_KINDS = ["reported"];

/** Rows of earlier formats had and lacked these. */
const FORMER: { readonly [K in RowKind]?: { had: readonly string[]; present(row: Fields): Fields } } = {
  subscription: {
    // A saved query once learnt from its owner.
    had: ["learning"],
    present: ({ background = null }) => ({ background }),
  },
  push: {
    had: ["lastAttempt"],
    present: ({ history, lastAttempt }) => ({
      history: history ?? (lastAttempt == null ? [] : [lastAttempt]),
    }),
  },
  report: {
    had: ["address"],
    present: ({ addresses, address }) => ({ addresses: addresses ?? (address == null ? [] : [address]) }),
  },
};

/**
 * Brings a row of any earlier format into the present one. What today's boards do not keep is dropped.
 * @returns null for the row where its whole kind is dropped; the names of what is dropped, such as `subscription.learning`
 */
export function presentForm(kind: string, row: unknown): { row: unknown; dropped: string[] } {
  if (FORMER_KINDS.includes(kind)) return { row: null, dropped: [kind] };
  const former = FORMER[kind as RowKind];
  if (former === undefined || typeof row !== "object" || row === null) return { row, dropped: [] };
  const had = former.had.filter((field) => field in row);
  const kept = Object.entries(row).filter(([field]) => !had.includes(field));
  return {
    row: { ...Object.fromEntries(kept), ...former.present(row as Fields) },
    dropped: had.map((field) => `${kind}.${field}`),
  };
}
