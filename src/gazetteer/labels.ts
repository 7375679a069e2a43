import type { PlaceRecord, PlaceTable } from "./file.ts";
import { foldedPlace } from "./fold.ts";
import { countryName, REGION_NAMES } from "./regions.ts";

/** A place with the region, town or country that tells it from others: `Springfield, Illinois`, `Kreuzberg, Berlin`. */
export function labelOf(table: PlaceTable, record: PlaceRecord): string {
  const { name, region, district } = record;
  const around =
    (district ? largerAround(table, record) : null) ?? REGION_NAMES.get(region) ?? countryOf(record);
  return `${name}, ${around}`;
}

/** A place under four times as large as another of its label does not own the label. */
const DOMINANCE = 4;
/** Labels are compared with those of so many places at most. */
const COMPARED = 40;

/**
 * Places with labels that differ, also without accents: one whose label others of its name share is told by the largest town
 * around it, or left out where there is none.
 *
 * @param among  places of the same name, whose labels must not be taken for these; the largest first
 */
export function labelsApart(
  table: PlaceTable,
  records: readonly PlaceRecord[],
  among: readonly PlaceRecord[] = records,
): { record: PlaceRecord; label: string }[] {
  const rivals = among
    .slice(0, COMPARED)
    .map((record) => ({ record, label: foldedPlace(labelOf(table, record)) }));
  const seen = new Set<string>();
  return records.flatMap((record) => {
    const label = labelOf(table, record);
    const isOwn = rivals.every(
      (rival) =>
        rival.label !== foldedPlace(label) ||
        rival.record === record ||
        rival.record.population * DOMINANCE <= record.population,
    );
    const around = isOwn ? null : largerAround(table, record);
    const told = isOwn ? label : around === null ? "" : `${record.name}, ${around}`;
    if (told === "" || seen.has(told)) return [];
    seen.add(told);
    return [{ record, label: told }];
  });
}

const countryOf = ({ region }: PlaceRecord) => countryName(region.slice(0, 2));

/** Of the towns within so many kilometres; the widest that still says where a place is. */
const AROUND_KM = 50;

/** The largest town around a place that is larger than it, or null. */
function largerAround(table: PlaceTable, record: PlaceRecord): string | null {
  let best: PlaceRecord | null = null;
  for (const place of table.around(record, AROUND_KM)) {
    if (table.population(place) <= Math.max(record.population, best?.population ?? 0)) continue;
    const other = table.get(place);
    if (other.name !== record.name && !other.district) best = other;
  }
  return best?.name ?? null;
}
