import type { Column, Numbers } from "./columns.ts";
import type { PostMemory } from "./index.ts";

/** Holds a part of the memory as bytes, to be kept in a file. */
export interface Section {
  name: string;
  /** Has the bytes in use, in several pieces where the memory is not in one. */
  pieces: Uint8Array[];
  /** Makes room for as many bytes, to be filled by the caller. */
  room(bytes: number): Uint8Array[];
  /** True when bytes change in place: a copy that is not made in one go would mix two states. */
  changes: boolean;
}

/** Holds all numbers of the memory that are in no section, by name. */
export type Scalars = Record<string, number>;

/** Lists the parts of a memory, in an order that never changes within a version of the format. */
export function sectionsOf(memory: PostMemory): Section[] {
  const { rows, names, lists, vectors, codes, centre } = memory;
  return [
    ...rows.each.map((column, at) => sectionOf(`row ${at}`, column, rows.size)),
    sectionOf("ids", rows.ids.bytes, rows.ids.used),
    sectionOf("by id", rows.byId.slots),
    sectionOf("by seq", rows.bySeq.slots),
    sectionOf("by creation", rows.byCreation.rows, rows.byCreation.size),
    sectionOf("by start", rows.byStart.rows, rows.byStart.size),
    sectionOf("names", names.fields, names.fieldsUsed),
    sectionOf("name slots", names.slots),
    sectionOf("centre", centre),
    {
      name: "lists",
      changes: false,
      pieces: lists.blocks(),
      room(bytes) {
        lists.reserve(bytes);
        return lists.blocks(bytes);
      },
    },
    {
      name: "vectors",
      changes: false,
      pieces: [vectors.block(rows.size)],
      room: (bytes) => [vectors.block(bytes / vectors.dimension)],
    },
    {
      name: "codes",
      changes: false,
      pieces: codes.blocks(memory.coded),
      room: (bytes) => codes.blocks(bytes / codes.width),
    },
  ];
}

/** @param used  how many numbers of a column are in use; without it all are, and its length has a meaning */
function sectionOf(name: string, column: Column<Numbers>, used?: number): Section {
  const { view, buffer } = column;
  return {
    name,
    changes: true,
    pieces: [new Uint8Array(buffer, 0, (used ?? view.length) * view.BYTES_PER_ELEMENT)],
    room(bytes) {
      // Columns get slack, unless the length has a meaning: the first post that follows would copy every column.
      column.adopt(new ArrayBuffer(used === undefined ? bytes : bytes + 8 * Math.ceil(bytes / 80) + 2048));
      return [new Uint8Array(column.buffer, 0, bytes)];
    },
  };
}

/** Gathers everything that sections leave out. */
export function scalarsOf(memory: PostMemory): Scalars {
  return Object.fromEntries(fieldsOf(memory).map(([name, of, field]) => [name, of[field] ?? 0]));
}

export function setScalars(memory: PostMemory, values: Scalars): void {
  for (const [name, of, field] of fieldsOf(memory)) of[field] = values[name] ?? 0;
}

/** Names the numbers of a snapshot, each with what has it under which field. */
function fieldsOf(memory: PostMemory): [name: string, of: Record<string, number>, field: string][] {
  const { rows, names, lists } = memory;
  const entry = <Of extends object>(of: Of, field: keyof Of & string, name: string = field) =>
    [name, of as Record<string, number>, field] as [string, Record<string, number>, string];
  return [
    entry(rows, "size"),
    entry(rows, "dead"),
    entry(rows, "words"),
    entry(rows.ids, "used", "ids"),
    entry(rows.byId, "used", "by id"),
    entry(rows.bySeq, "used", "by seq"),
    entry(rows.byCreation, "size", "by creation"),
    entry(rows.byStart, "size", "by start"),
    entry(names, "size", "names"),
    entry(lists, "used", "lists"),
    entry(memory, "coded"),
    entry(memory, "suspended"),
    entry(memory, "change"),
    entry(memory, "version"),
  ];
}
