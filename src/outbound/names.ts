import { BADNAME, promises as dns, NODATA, NOTFOUND } from "node:dns";

/** How names are looked up; every call ends by itself. */
export interface Names {
  /** Addresses of a name, IPv4 first; empty when it has none or DNS fails. */
  lookup(name: string, signal: AbortSignal): Promise<string[]>;
  /** Addresses as this machine's own programs see them, its hosts file included. */
  lookupLocally(name: string): Promise<string[]>;
  /** TXT records in chunks, as DNS carries them; empty when there are none, null when DNS does not tell. */
  resolveTxt(name: string, signal: AbortSignal): Promise<string[][] | null>;
}

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** What says that a name has no such records, or that there can be no such name. */
const NONE: ReadonlySet<string> = new Set([NODATA, NOTFOUND, BADNAME]);

/**
 * Asks the name servers themselves. The system's lookup would wait in one of four threads that the whole process
 * shares, so that slow name servers of a few hostile domains could halt every file access of the board; and it would
 * try the search domains of the network it runs in.
 *
 * @param servers  addresses with optional ports; default: those of the system
 */
export function openNames(servers?: readonly string[]): Names {
  /** A resolver for each call, since only all of its questions can be cancelled. */
  async function ask<T>(
    signal: AbortSignal,
    question: (resolver: dns.Resolver) => Promise<T>,
  ): Promise<T | null> {
    if (signal.aborted) return null;
    const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers([...servers]);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await question(resolver);
    } catch {
      return null;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  return {
    async lookup(name, signal) {
      const [four, six] = await Promise.all([
        ask(signal, (resolver) => resolver.resolve4(name)),
        ask(signal, (resolver) => resolver.resolve6(name)),
      ]);
      return [...(four ?? []), ...(six ?? [])];
    },
    async lookupLocally(name) {
      const found = await dns.lookup(name, { all: true }).catch(() => []);
      return found.map(({ address }) => address);
    },
    resolveTxt: (name, signal) =>
      ask(signal, (resolver) =>
        resolver.resolveTxt(name).catch((error: NodeJS.ErrnoException) => {
          if (NONE.has(error.code ?? "")) return [];
          throw error;
        }),
      ),
  };
}
