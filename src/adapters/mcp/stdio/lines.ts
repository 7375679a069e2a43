import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type ReadMessage, readMessage, refused } from "../messages.ts";

/** No message needs more: a post has at most 64 KiB. */
const LINE_CHARS_MAX = 4 * 1024 * 1024;
/** Of a longer line both ends are kept, since its id stands in one of them. */
const END_CHARS = 1_000;
const WRONG = "Not JSON, or longer than 4 MiB: send one message a line.";

/**
 * Cuts what a host writes into lines, and reads the messages in them; a batch has several. A byte order mark is white space.
 * @param take  called for each message in turn
 */
export class MessageLines {
  readonly #take: (read: ReadMessage) => void;
  #line = "";

  constructor(take: (read: ReadMessage) => void) {
    this.#take = take;
  }

  push(chunk: string): void {
    for (const [nth, part] of chunk.split("\n").entries()) {
      if (nth > 0) this.end();
      this.#line += part;
      if (this.#line.length > LINE_CHARS_MAX)
        this.#line = `${this.#line.slice(0, END_CHARS)}\0${this.#line.slice(-END_CHARS)}`;
    }
  }

  /** Reads the line so far; the last one of the input needs no end of its own. */
  end(): void {
    const text = this.#line.trim();
    this.#line = "";
    if (text !== "") for (const read of messagesIn(text)) this.#take(read);
  }
}

function messagesIn(text: string): ReadMessage[] {
  try {
    const sent: unknown[] = [JSON.parse(text)].flat();
    return sent.length === 0 ? [readMessage(null)] : sent.map((each) => readMessage(each));
  } catch {
    const [, id = "null"] = FIRST.exec(text) ?? LAST.exec(text) ?? [];
    return [refused(JSON.parse(id), ProtocolErrorCode.ParseError, WRONG)];
  }
}

/** The id in a text that is no JSON, either before anything nested in it or at its very end. */
const ID = '"id"\\s*:\\s*("[^"\\\\\\p{Cc}]{1,200}"|0|-?[1-9]\\d{0,14})';
const FIRST = new RegExp(`^\\{[^{[]*?${ID}\\s*[,}]`, "u");
const LAST = new RegExp(`${ID}\\s*\\}$`, "u");
