import { BADNAME, promises as dns, NODATA, NOTFOUND } from "node:dns";

/** Looks up names; every call ends by itself. */
export interface Names {
  /** Looks up addresses of a name, IPv4 first; empty when it has none or DNS fails. */
  lookup(name: string, signal: AbortSignal): Promise<string[]>;
  /** Looks up addresses as this machine's own programs see them, its hosts file included. */
  lookupLocally(name: string): Promise<string[]>;
  /** Looks up TXT records in chunks, as DNS carries them; empty when there are none, null when DNS gives no answer. */
  resolveTxt(name: string, signal: AbortSignal): Promise<string[][] | null>;
}

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** These codes mean "no such records" and "no such name". */
const NONE: ReadonlySet<string> = new Set([NODATA, NOTFOUND, BADNAME]);

/**
 * Asks the name servers directly. The system's lookup waits in one of four threads that the whole process shares: slow
 * name servers of a few hostile domains could halt every file access of the board. It also tries the search domains of
 * the local network.
 *
 * @param servers  addresses with optional ports; default: the system's
 */
export function openNames(servers?: readonly string[]): Names {
  /** Each call has its own resolver: cancelling one cancels all its questions. */
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
