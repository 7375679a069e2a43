import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { parseUrl } from "../platform/parse-url.ts";

/** Decides which URLs and addresses the board may call. */
export interface Policy {
  /** Tells why this URL may not be called, judged by its text alone; null if it may. */
  refusal(url: string): string | null;
  /** Tells whether a host's name is exempt: all its addresses may be called. */
  exemptName(host: string): boolean;
  allows(address: string): boolean;
}

const MAX_URL_CHARACTERS = 2000;
const HTTPS_PORT = 443;

/** These names never belong to the public internet: RFC 6761, 6762, 7686, 8375, 9476, and ICANN's `internal`. */
const LOCAL_NAMES = ["localhost", "local", "internal", "home.arpa", "onion", "alt"];

/** This address is public by number but not on the public internet: Azure's hosts serve secrets there. */
const DENIED = ["168.63.129.16/32"].map((block) => ipaddr.parseCIDR(block));

const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/**
 * Allows `https:` to the given ports of public unicast addresses, and what the operator exempts.
 *
 * @param allow  CIDR blocks, addresses or host names; these may also be called by `http:` and on any port
 * @param own  gives the addresses of this machine
 * @throws Error when an entry of `allow` is none of these
 */
export function createPolicy(
  allow: readonly string[],
  ports: readonly number[],
  own: () => readonly string[] = ownAddresses,
): Policy {
  const entries = allow.map((entry) => entry.trim().toLowerCase()).filter((entry) => entry !== "");
  const blocks = entries.map(blockOf).filter((block) => block !== null);
  const names = new Set(entries.filter((entry) => blockOf(entry) === null).map(withoutDot));
  for (const name of names) {
    if (!/^[\p{L}\p{N}_.-]+$/u.test(name))
      throw new Error(`"${name}" is no CIDR block, address or host name`);
  }

  const isOwn = (address: Address) =>
    own().some((each) => addressOf(each)?.toNormalizedString() === address.toNormalizedString());
  /** Tells whether an address is globally routed unicast, and not this machine's own. */
  const isPublic = (address: Address) => isGlobal(address) && !isOwn(address);
  const exemptAddress = (address: Address) => blocks.some((block) => isIn(address, block));
  const exemptName = (host: string) => names.has(withoutDot(host));

  function allows(text: string): boolean {
    const address = addressOf(text);
    return address !== null && (exemptAddress(address) || isPublic(address));
  }

  function refusal(text: string): string | null {
    if (text.length > MAX_URL_CHARACTERS) return "the URL is too long";
    const url = parseUrl(text);
    if (url === null) return "it is not a URL";
    if (url.protocol !== "https:" && url.protocol !== "http:") return "its scheme must be https";
    if (url.username !== "" || url.password !== "") return "it carries credentials";
    const host = bareHost(url);
    const literal = addressOf(host);
    if (exemptName(host) || (literal !== null && exemptAddress(literal))) return null;
    if (url.protocol !== "https:") return "its scheme must be https";
    if (!ports.includes(Number(url.port || HTTPS_PORT))) return `its port must be ${ports.join(" or ")}`;
    if (literal !== null) return isPublic(literal) ? null : "its address is not public";
    const name = withoutDot(host);
    if (!name.includes(".")) return "its host needs a full domain name";
    if (LOCAL_NAMES.some((local) => name === local || name.endsWith(`.${local}`)))
      return "its host is not public";
    return null;
  }

  return { refusal, exemptName, allows };
}

/** Gives the host of a URL without the brackets of IPv6. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

function isGlobal(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (address.kind() === "ipv6" && !isIn(address, GLOBAL_IPV6)) return false;
  return !DENIED.some((block) => isIn(address, block));
}

const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));

function isIn(address: Address, [network, bits]: Block): boolean {
  return (
    address.kind() === network.kind() && (address.match as (n: Address, b: number) => boolean)(network, bits)
  );
}

/** Reads strictly four decimal numbers, or IPv6 without a zone. `URL` has already normalised other notations of IPv4. */
function addressOf(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes("%") && ipaddr.IPv6.isValid(text)) return ipaddr.IPv6.parse(text);
  return null;
}

function blockOf(entry: string): Block | null {
  const address = addressOf(entry);
  if (address !== null) return [address, address.kind() === "ipv4" ? 32 : 128];
  return ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : null;
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
