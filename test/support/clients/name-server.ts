import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** A name server on loopback that answers questions for TXT records from a map, and "no such name" to all others. */
export async function startNameServer(): Promise<{
  server: string;
  records: Map<string, readonly string[]>;
  stop(): void;
}> {
  const records = new Map<string, readonly string[]>();
  const socket = createSocket("udp4");
  socket.on("message", (asked, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let size = asked[at] ?? 0; size > 0; size = asked[at] ?? 0) {
      labels.push(asked.toString("latin1", at + 1, at + 1 + size));
      at += size + 1;
    }
    const question = asked.subarray(12, at + 5);
    const found =
      asked.readUInt16BE(at + 1) === TXT ? (records.get(labels.join(".").toLowerCase()) ?? []) : [];
    const answers = found.map((text) => {
      const data = Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")]);
      const head = Buffer.alloc(12);
      head.writeUInt16BE(0xc00c, 0);
      head.writeUInt16BE(TXT, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(data.length, 10);
      return Buffer.concat([head, data]);
    });
    const header = Buffer.alloc(12);
    asked.copy(header, 0, 0, 2);
    // A response that recursion was available for; code 3 says that there is no such name.
    header.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, question, ...answers]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  return { server: `127.0.0.1:${port}`, records, stop: () => socket.close() };
}

const TXT = 16;
