/** A report has these fields by which its voice is known. */
export interface HeardReport {
  /** The report came from there; empty where that was not known. */
  addresses: readonly string[];
  createdAt: number;
  /** True when it is of a suspended publisher. */
  silent: boolean;
}

/** This many addresses of one reporter are remembered. */
const ADDRESSES_KEPT = 8;

/** Gives the addresses of a report once it is repeated, first ones first. */
export function addressesOf(before: readonly string[], repeated: readonly string[]): string[] {
  return [...new Set([...before, ...repeated])].slice(0, ADDRESSES_KEPT);
}

/**
 * Counts the voices that were first heard after `since`. Reports with a common address are one voice, over any chain of
 * them; a voice counts unless all its reports are of suspended publishers.
 */
export function countVoices(reports: readonly HeardReport[], since: number): number {
  const voices = reports.map((_, n) => n);
  const voiceOf = (n: number): number => {
    let voice = n;
    for (let next = voices[voice]; next !== undefined && next !== voice; next = voices[voice]) {
      // Halves the path for the next look.
      voices[voice] = voices[next] ?? next;
      voice = next;
    }
    return voice;
  };
  const firstFrom = new Map<string, number>();
  for (const [n, { addresses }] of reports.entries()) {
    for (const address of addresses) {
      const other = firstFrom.get(address);
      if (other === undefined) firstFrom.set(address, n);
      else voices[voiceOf(n)] = voiceOf(other);
    }
  }
  const before = new Set<number>();
  const counted = new Set<number>();
  for (const [n, { createdAt, silent }] of reports.entries()) {
    const voice = voiceOf(n);
    if (createdAt <= since) before.add(voice);
    if (!silent) counted.add(voice);
  }
  return [...counted].filter((voice) => !before.has(voice)).length;
}
