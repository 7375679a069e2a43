import { type AddressInfo, createServer, type Server } from "node:net";
import { BSON, type Document } from "mongodb";

/** Listens on a port of this machine and answers commands in OP_MSG over TCP, as servers of MongoDB do. */
export class CommandServer {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param answer  gives the whole reply to a command, which is the first key of its document */
  static async start(answer: (command: Document) => Promise<Document>): Promise<CommandServer> {
    const server = createServer((socket) => {
      let waiting = Buffer.alloc(0);
      let turn = Promise.resolve();
      socket.on("error", () => {});
      socket.on("data", (data) => {
        waiting = Buffer.concat([waiting, data]);
        while (waiting.length >= 16 && waiting.length >= waiting.readInt32LE(0)) {
          const message = waiting.subarray(0, waiting.readInt32LE(0));
          waiting = waiting.subarray(message.length);
          turn = turn.then(async () => {
            const reply = replyTo(message, await answer(commandOf(message)));
            if (!socket.destroyed) socket.write(reply);
          });
        }
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new CommandServer(server);
  }

  close(): void {
    this.#server.close();
  }
}

/** What any server says of itself. */
export const HELLO = {
  ok: 1,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 27,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
};

export const failure = (code: number, errmsg: string) => ({ ok: 0, code, errmsg });

const OP_MSG = 2013;
const OP_QUERY = 2004;

/** The command in a message: one body, and its sequences of documents. Servers say hello with OP_QUERY. */
function commandOf(message: Buffer): Document {
  if (message.readInt32LE(12) === OP_QUERY) {
    const start = message.indexOf(0, 20) + 9;
    return BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
  }
  const end = message.length - ((message.readInt32LE(16) & 1) === 1 ? 4 : 0);
  let command: Document = {};
  for (let at = 20; at < end; ) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    const part = message.subarray(at + 1, at + 1 + size);
    at += 1 + size;
    if (kind === 0) {
      command = { ...BSON.deserialize(part, { promoteLongs: false }), ...command };
      continue;
    }
    const nameEnd = part.indexOf(0, 4);
    const list: Document[] = [];
    for (let from = nameEnd + 1; from < part.length; from += part.readInt32LE(from)) {
      list.push(
        BSON.deserialize(part.subarray(from, from + part.readInt32LE(from)), { promoteLongs: false }),
      );
    }
    command = { ...command, [part.toString("utf8", 4, nameEnd)]: list };
  }
  return command;
}

function replyTo(message: Buffer, answer: Document): Buffer {
  const body = BSON.serialize(answer);
  const old = message.readInt32LE(12) === OP_QUERY;
  const head = Buffer.alloc(old ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(old ? 1 : OP_MSG, 12);
  if (old) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  }
  return Buffer.concat([head, body]);
}
