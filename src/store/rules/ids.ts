const IDS_MAX = 1000;

/** @throws RangeError for more ids than one question may name */
export function limitIds(ids: readonly string[]): void {
  if (ids.length > IDS_MAX) throw new RangeError(`At most ${IDS_MAX} ids.`);
}

/** Those of the rows that exist, in the order of `ids`. */
export function inOrder<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
