/**
 * The IANA zone of a name, in any letter case and with blanks around it: ` europe/berlin` is Europe/Berlin. Null for names
 * that the runtime does not know, and for offsets.
 */
export function zoneNamed(sent: string): string | null {
  const name = sent.trim();
  // Intl also takes offsets such as "+01:00", which are no names of zones.
  if (/^[+-]/.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    if (timeZone.toLowerCase() === name.toLowerCase()) return timeZone;
    // An older or newer name of the zone is kept, in the usual letters.
    return /[a-z]/.test(name) && /[A-Z]/.test(name) ? name : titled(name);
  } catch {
    return null;
  }
}

const titled = (name: string) =>
  name.toLowerCase().replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
