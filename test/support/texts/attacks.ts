import { createSocket } from "node:dgram";
import { once } from "node:events";

/** Hosts of webhooks and sites that must never be reached, in every notation of an address. */
export const LITERALS = `
  127.0.0.1 127.1 127.255.255.254 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 0 0.0.0.0 0.1.2.3 ①②⑦.⓪.⓪.①
  127。0。0。1 127.0.0.1. %31%32%37.0.0.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.100.100.200
  169.254.169.254 0xa9fea9fe 2852039166 169.254.170.2 168.63.129.16 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1
  198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 192.175.48.1 [::] [::1] [0:0:0:0:0:0:0:1]
  [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:8.8.8.8] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1]
  [64:ff9b:1::7f00:1] [64:ff9b::808:808] [2002:7f00:1::] [2002:808:808::1] [2001::1]
  [2001:0:4136:e378:8000:63bf:3fff:fdd2] [fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1]
  [2001:db8::1] [2001:10::1] [2001:20::1] [3fff::1] [4000::1] [5f00::1] [2620:4f:8000::1] [fd20:ce::254]
`
  .trim()
  .split(/\s+/);

/** Names that never mean a host of the public internet. */
export const NAMES =
  "localhost LOCALHOST. a.localhost metadata metadata.google.internal printer.local home.arpa nas.home.arpa a.onion a.alt".split(
    " ",
  );

/** Invalid URLs, and URLs that the board never calls. */
export const ODD_URLS = [
  ...[
    "http://93.184.215.14/",
    "ftp://93.184.215.14/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "data:,x",
  ],
  ...["javascript:0", "ws://93.184.215.14/", "unix:/run/x.sock", "//93.184.215.14/", "93.184.215.14", ""],
  ...[
    "https://user@93.184.215.14/",
    "https://user:pass@93.184.215.14/",
    "https://:pass@93.184.215.14/",
    "https://93.184.215.14:22/",
  ],
  ...["https://[fe80::1%25lo]/", "https://", "https://1.2.3.4.5/", `https://a.example/${"x".repeat(3000)}`],
];

/** What a name under an attacker's control may resolve to. */
export const DNS_ATTACKS: Record<string, readonly string[]> = Object.fromEntries(
  `
  loopback 127.0.0.1
  loopback6 ::1
  unspecified 0.0.0.0
  unspecified6 ::
  private10 10.1.2.3
  private172 172.20.0.1
  private192 192.168.0.1
  cgnat 100.64.0.1
  metadata 169.254.169.254
  metadata6 fd00:ec2::254
  azure 168.63.129.16
  mapped ::ffff:127.0.0.1
  mappedpublic ::ffff:93.184.215.14
  compatible ::127.0.0.1
  nat64 64:ff9b::7f00:1
  localnat64 64:ff9b:1::7f00:1
  sixtofour 2002:7f00:1::
  teredo 2001:0:4136:e378:8000:63bf:3fff:fdd2
  linklocal6 fe80::1
  sitelocal6 fec0::1
  unique6 fc00::1
  multicast 224.0.0.1
  broadcast 255.255.255.255
  publicfirst 93.184.215.14 127.0.0.1
  loopbackfirst 127.0.0.1 93.184.215.14
  public4loopback6 93.184.215.14 ::1
  nothing
`
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" "))
    .map(([label = "", ...addresses]) => [label, addresses]),
);

/**
 * A name server on UDP (RFC 1035): A and AAAA by the form of an answer, TXT for `txt:chunk|chunk`.
 * @param answers  by name, in the order of the answer, looked up at each question; `;` separates the answers to repeated
 *   questions, and `silence` gives none
 */
export async function startNameServer(
  answers: Record<string, readonly string[]>,
): Promise<{ port: number; asked: string[]; close(): void }> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join(".").toLowerCase();
    const type = query.readUInt16BE(at + 1);
    asked.push(`${name} ${type}`);
    const all = answers[name] ?? [];
    const again = asked.filter((question) => question === `${name} ${type}`).length > 1;
    const cut = all.indexOf(";");
    const now = cut === -1 ? all : again ? all.slice(cut + 1) : all.slice(0, cut);
    if (now.includes("silence")) return;
    const data = now.map(dataOf).filter((record) => record.type === type);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(data.length, 6);
    header.writeUInt32BE(0, 8);
    const records = data.map(({ bytes }) => {
      const head = Buffer.alloc(12);
      head.writeUInt16BE(0xc00c, 0);
      head.writeUInt16BE(type, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([head, bytes]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, at + 5), ...records]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, asked, close: () => socket.close() };
}

function dataOf(answer: string): { type: number; bytes: Buffer } {
  if (answer.startsWith("txt:")) {
    const chunks = answer.slice(4).split("|");
    return {
      type: 16,
      bytes: Buffer.concat(chunks.map((text) => Buffer.from([text.length, ...Buffer.from(text)]))),
    };
  }
  if (!answer.includes(":")) return { type: 1, bytes: Buffer.from(answer.split(".").map(Number)) };
  // As `URL` writes it: hexadecimal groups with at most one gap.
  const [left = "", right = ""] = new URL(`http://[${answer}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const gap = Array.from({ length: 8 - groups(left).length - groups(right).length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [i, group] of [...groups(left), ...gap, ...groups(right)].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2);
  }
  return { type: 28, bytes };
}
