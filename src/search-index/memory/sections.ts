import type { Column, Numbers } from "./columns.ts";
import type { PostMemory } from "./index.ts";

/** A part of the memory as bytes, to be kept in a file. */
export interface Section {
  name: string;
  /** The bytes in use; several pieces where the memory is not in one. */
  pieces(): Uint8Array[];
  /** Makes room for as many bytes, to be filled by the caller. */
  room(bytes: number): Uint8Array[];
  /** True when bytes change in place: a copy that is not made in one go would mix two states. */
  changes: boolean;
}

/** All numbers of the memory that are in no section, by name. */
export type Scalars = Record<string, number>;

/** A column of the memory. */
interface NamedColumn {
  name: string;
  of: Column<Numbers>;
  /** Numbers in use. */
  used(): number;
  /** True when its length has a meaning. */
  exact: boolean;
}

/** All columns of a memory, in the order of its sections. */
function columnsOf({ rows, names, centre }: PostMemory): NamedColumn[] {
  const growing = (name: string, of: Column<Numbers>, used: () => number) => ({
    name,
    of,
    used,
    exact: false,
  });
  const exact = (name: string, of: Column<Numbers>) => ({
    name,
    of,
    used: () => of.view.length,
    exact: true,
  });
  return [
    ...rows.each.map((one, at) => growing(`row ${at}`, one, () => rows.size)),
    growing("ids", rows.ids.bytes, () => rows.ids.used),
    exact("by id", rows.byId.slots),
    exact("by seq", rows.bySeq.slots),
    growing("by creation", rows.byCreation.rows, () => rows.byCreation.size),
    growing("by start", rows.byStart.rows, () => rows.byStart.size),
    growing("names", names.fields, () => names.fieldsUsed),
    exact("name slots", names.slots),
    exact("centre", centre),
  ];
}

/** The parts of a memory, in an order that never changes within a version of the format. */
export function sectionsOf(memory: PostMemory): Section[] {
  const { rows, lists, vectors, codes } = memory;
  return [
    ...columnsOf(memory).map(sectionOf),
    {
      name: "lists",
      changes: false,
      pieces: () => lists.blocks(),
      room(bytes) {
        lists.reserve(bytes);
        return lists.blocks(bytes);
      },
    },
    {
      name: "vectors",
      changes: false,
      pieces: () => [vectors.block(rows.size)],
      room: (bytes) => [vectors.block(bytes / vectors.dimension)],
    },
    {
      name: "codes",
      changes: false,
      pieces: () => codes.blocks(memory.coded),
      room: (bytes) => codes.blocks(bytes / codes.width),
    },
  ];
}

function sectionOf({ name, of, used, exact }: NamedColumn): Section {
  return {
    name,
    changes: true,
    pieces: () => [new Uint8Array(of.buffer, 0, used() * of.view.BYTES_PER_ELEMENT)],
    room(bytes) {
      // Slack, unless the length has a meaning: the first post that follows would copy every column.
      const length = exact ? bytes : bytes + 8 * Math.ceil(bytes / 80) + 2048;
      of.adopt(new ArrayBuffer(length));
      return [new Uint8Array(of.buffer, 0, bytes)];
    },
  };
}

/** Everything that sections leave out. */
export function scalarsOf(memory: PostMemory): Scalars {
  return Object.fromEntries(scalars(memory).map(([name, get]) => [name, get()]));
}

export function setScalars(memory: PostMemory, values: Scalars): void {
  for (const [name, , set] of scalars(memory)) set(values[name] ?? 0);
}

function scalars(memory: PostMemory): [name: string, get: () => number, set: (value: number) => void][] {
  const { rows, names, lists } = memory;
  const field = <Of extends object>(of: Of, name: keyof Of & string, label: string = name) =>
    [
      label,
      () => of[name] as number,
      (value: number) => {
        of[name] = value as Of[typeof name];
      },
    ] as [string, () => number, (value: number) => void];
  return [
    field(rows, "size"),
    field(rows, "dead"),
    field(rows, "words"),
    field(rows.ids, "used", "ids"),
    field(rows.byId, "used", "by id"),
    field(rows.bySeq, "used", "by seq"),
    field(rows.byCreation, "size", "by creation"),
    field(rows.byStart, "size", "by start"),
    field(names, "size", "names"),
    field(lists, "used", "lists"),
    field(memory, "coded"),
    field(memory, "suspended"),
    field(memory, "change"),
    field(memory, "version"),
  ];
}
