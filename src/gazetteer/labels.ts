import type { PlaceRecord, PlaceTable } from "./file.ts";
import { foldedPlace } from "./fold.ts";
import { countryName, REGION_NAMES } from "./regions.ts";

/** Names a place with the town, region or country that it lies in: `Springfield, Illinois`, `Kreuzberg, Berlin`. */
export function labelOf(table: PlaceTable, record: PlaceRecord): string {
  const { name, region, district } = record;
  const around =
    (district ? largerAround(table, record) : null) ?? REGION_NAMES.get(region) ?? countryOf(record);
  return `${name}, ${around}`;
}

/** A label belongs to a place that is this many times as large as all others with the same label. */
const DOMINANCE = 4;
/** Labels are compared with those of this many places at most. */
const COMPARED = 40;

/**
 * Gives places with labels that differ, also without their accents. Where several places share a label, a place is named by
 * the largest town around it, or left out where there is none.
 *
 * @param among  places of the same name, the largest first; no label may be read as one of theirs
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
    const shown = isOwn ? label : around === null ? "" : `${record.name}, ${around}`;
    if (shown === "" || seen.has(shown)) return [];
    seen.add(shown);
    return [{ record, label: shown }];
  });
}

const countryOf = ({ region }: PlaceRecord) => countryName(region.slice(0, 2));

/** A town within this distance still says where a place is. */
const AROUND_KM = 50;

/** Finds the largest town around a place that is larger than it, or null. */
function largerAround(table: PlaceTable, record: PlaceRecord): string | null {
  let best: PlaceRecord | null = null;
  for (const place of table.around(record, AROUND_KM)) {
    if (table.population(place) <= Math.max(record.population, best?.population ?? 0)) continue;
    const other = table.get(place);
    if (other.name !== record.name && !other.district) best = other;
  }
  return best?.name ?? null;
}
