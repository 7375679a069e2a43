import { PARTS, type Parts, type ShareTable } from "../../ports/store/index.ts";

/** The part that a subscription belongs to, from 0. */
export const partOf = (subscriptionId: string): number => hash(subscriptionId) % PARTS;

export const hasPart = (parts: Parts, part: number): boolean => ((parts >> BigInt(part)) & 1n) === 1n;

/** The parts of a member. */
export function partsOf(owners: ShareTable["owners"], member: string): Parts {
  return owners.reduce((parts, owner, part) => (owner === member ? parts | (1n << BigInt(part)) : parts), 0n);
}

/** The members that do not live at `now`. */
export const deadMembers = ({ members }: ShareTable, now: number): string[] =>
  [...members].filter(([, until]) => until <= now).map(([member]) => member);

/**
 * The owners as a living member wants them now. It gives back what it has beyond an equal share, and takes what nobody alive
 * has, by rendezvous: a free part goes to the member with room whose hash with it is highest. All members compute the
 * same, and each only moves its own parts, so a part is given back before another takes it.
 */
export function ownersFor(table: ShareTable, me: string, now: number): (string | null)[] {
  const dead = new Set(deadMembers(table, now));
  const alive = [...table.members.keys()].filter((member) => !dead.has(member)).sort();
  const share = Math.ceil(PARTS / Math.max(1, alive.length));
  const owners = table.owners.map((owner) => (owner !== null && alive.includes(owner) ? owner : null));
  const held = new Map(alive.map((member) => [member, 0]));
  const free: number[] = [];
  const keeps = (member: string, part: number) => {
    held.set(member, (held.get(member) ?? 0) + 1);
    return part;
  };
  for (const [part, owner] of owners.entries()) {
    if (owner === null) free.push(part);
    else keeps(owner, part);
  }
  const beyond = (held.get(me) ?? 0) - share;
  if (beyond > 0) {
    const mine = owners.flatMap((owner, part) => (owner === me ? [part] : []));
    mine.sort((a, b) => hash(`${me} ${a}`) - hash(`${me} ${b}`));
    for (const part of mine.slice(0, beyond)) owners[part] = null;
  }
  for (const part of free) {
    const roomy = alive.filter((member) => (held.get(member) ?? 0) < share);
    const [taker] = roomy.sort((a, b) => hash(`${b} ${part}`) - hash(`${a} ${part}`));
    if (taker === undefined) continue;
    keeps(taker, part);
    if (taker === me) owners[part] = me;
  }
  return owners;
}

/** FNV-1a with a final mix, 32 bits. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  return (sum ^ (sum >>> 13)) >>> 0;
}
