import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { openNames } from "../../src/outbound/names.ts";
import { type Outbound, OutboundError, type OutboundRequest } from "../../src/ports/outbound.ts";
import { freePort, moduleOf } from "../support/boards/board-process.ts";
import { turnsMsOf } from "../support/boards/turns.ts";
import { useFolder } from "../support/boards/use.ts";
import { startNameServer as startTxtServer } from "../support/clients/name-server.ts";
import { serverForTest } from "../support/run/temporary.ts";
import { DNS_ATTACKS, LITERALS, NAMES, ODD_URLS, startNameServer } from "../support/texts/attacks.ts";

/** Counts connections to one port on every address of this machine. */
const listener = { server: createServer(), port: 0, connections: 0 };
let dns: { port: number; asked: string[]; close(): void };
/** Takes the listener's port for the usual one, so that the listener sees any call that passes. */
let guarded: Outbound;

/** The answers of the attacker's name server. `;` separates answers to repeated questions. */
const ANSWERS: Record<string, readonly string[]> = {};

beforeAll(async () => {
  listener.server.on("connection", (socket) => {
    listener.connections += 1;
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    socket.on("error", () => {});
  });
  listener.server.listen(0, "::");
  await once(listener.server, "listening");
  listener.port = (listener.server.address() as AddressInfo).port;
  dns = await startNameServer(ANSWERS);
  const names = openNames([`127.0.0.1:${dns.port}`]);
  guarded = openOutbound({ allow: [], ports: [listener.port], ...names });
});

afterAll(async () => {
  await guarded.close();
  listener.server.close();
  dns.close();
});

const ask = { method: "POST", headers: {}, body: "{}", maxBytes: 4096, timeoutMs: 10_000 } as const;

async function failureOf(outbound: Outbound, url: string, more: Partial<OutboundRequest> = {}) {
  const error = await outbound.send({ ...ask, ...more, url }).then(
    () => null,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error as OutboundError;
}

describe("the outgoing guard", () => {
  const attacks = [
    ...LITERALS.map((host) => (port: number) => `https://${host}:${port}/hook`),
    ...NAMES.map((host) => (port: number) => `https://${host}:${port}/hook`),
    ...ODD_URLS.map((url) => () => url),
    (port: number) => `http://93.184.215.14:${port}/`,
  ].map((url) => [url(0).slice(0, 80), url] as const);

  it.each(attacks)("refuses %s by its text, and connects to nothing", async (_name, url) => {
    const before = listener.connections;
    expect(guarded.refusal(url(listener.port))).toBeTypeOf("string");
    expect((await failureOf(guarded, url(listener.port))).reason).toBe("blocked");
    expect(listener.connections).toBe(before);
  });

  it.each(Object.entries(DNS_ATTACKS))(
    "connects to nothing when a name resolves to %s",
    async (label, answers) => {
      const host = `${label}.attack.example`;
      ANSWERS[host] = answers;
      const before = listener.connections;
      expect(guarded.refusal(`https://${host}:${listener.port}/`)).toBeNull();
      const { reason, message } = await failureOf(guarded, `https://${host}:${listener.port}/`);
      expect([reason, message]).toEqual(
        answers.length === 0
          ? ["failed", "The host has no address."]
          : ["blocked", "The host has an address that is not public."],
      );
      expect(listener.connections).toBe(before);
    },
  );

  it("asks DNS once for each call, so that a second answer cannot matter", async () => {
    // 192.0.2.0/24 goes nowhere; exempt here, so that the guard lets the first answer pass.
    const names = openNames([`127.0.0.1:${dns.port}`]);
    const outbound = openOutbound({ allow: ["192.0.2.0/24"], ports: [listener.port], ...names });
    ANSWERS["rebind.attack.example"] = ["192.0.2.1", ";", "127.0.0.1"];
    const before = listener.connections;
    await failureOf(outbound, `https://rebind.attack.example:${listener.port}/`, { timeoutMs: 1_500 });
    expect(listener.connections).toBe(before);
    const questions = dns.asked.filter((question) => question.startsWith("rebind.attack.example"));
    expect(questions.sort()).toEqual(["rebind.attack.example 1", "rebind.attack.example 28"]);
    await outbound.close();
  });

  it("fails within its timeout when the name server is silent", async () => {
    ANSWERS["silent.attack.example"] = ["silence"];
    const url = `https://silent.attack.example:${listener.port}/`;
    const failure = failureOf(guarded, url, { timeoutMs: 800 });
    expect(await turnsMsOf(failure)).toBeLessThan(1500);
    expect((await failure).reason).toBe("failed");
  });

  it("takes no address of this machine for a public one", async () => {
    const own = () => ["93.184.215.14", "2606:4700:0::1111"];
    const outbound = openOutbound({ allow: [], own, lookup: async () => ["93.184.215.14"] });
    for (const host of ["93.184.215.14", "[2606:4700::1111]"])
      expect(outbound.refusal(`https://${host}/`)).toBe("its address is not public");
    expect((await failureOf(outbound, "https://a.example/")).reason).toBe("blocked");
    expect(outbound.refusal("https://93.184.215.15/")).toBeNull();
  });

  it("treats only port 443 as usual", () => {
    const outbound = openOutbound({ allow: [] });
    expect(outbound.refusal("https://hooks.example/x")).toBeNull();
    expect(outbound.refusal("https://hooks.example:443/x")).toBeNull();
    expect(outbound.refusal("https://93.184.215.14/x")).toBeNull();
    expect(outbound.refusal("https://[2606:4700::1111]/x")).toBeNull();
    expect(outbound.refusal("https://hooks.example:8443/x")).toMatch(/port/);
  });

  it("takes URLs of 2,000 characters and no more", () => {
    const url = (length: number) => "https://hooks.example/".padEnd(length, "x");
    expect([guarded.refusal(url(2_000)), guarded.refusal(url(2_001))]).toEqual([
      expect.stringContaining("port"),
      "the URL is too long",
    ]);
  });

  it.each([
    ["93.184.215.14", "it is not a URL"],
    ["ftp://93.184.215.14/", "its scheme must be https"],
    ["http://hooks.example/", "its scheme must be https"],
    ["https://user@hooks.example/", "it carries credentials"],
    ["https://hooks.example:444/", "its port must be 443 or 8443"],
    ["https://10.0.0.1/", "its address is not public"],
    ["https://168.63.129.16/", "its address is not public"],
    ["https://[fd00::1]/", "its address is not public"],
    ["https://hooks/", "its host needs a full domain name"],
    ["https://hooks.internal./", "its host is not public"],
    ["https://hooks.notinternal/", null],
    ["https://internal.example/", null],
    ["https://168.63.129.17:8443/", null],
  ])("says of %s why it may not be called: %s", async (url, why) => {
    const outbound = openOutbound({ allow: [], ports: [443, 8443] });
    expect(outbound.refusal(url)).toBe(why);
    if (why !== null)
      expect((await failureOf(outbound, url)).message).toBe(`The URL may not be called: ${why}.`);
  });

  it("leaves nothing running behind a call, whether it succeeded or failed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const outbound = openOutbound({
        allow: [],
        lookup: async () => [],
        resolveTxt: async () => [["a", "b"], ["c"]],
      });
      expect(await outbound.txt("a.example")).toEqual(["ab", "c"]);
      expect((await failureOf(outbound, "https://a.example/")).message).toBe("The host has no address.");
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("gives a name up after 30 s at most, and its TXT records after 5 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const silent = () => new Promise<never>(() => {});
      const waiting = openOutbound({ allow: [], lookup: silent, resolveTxt: silent });
      const ended: string[] = [];
      void waiting.txt("a.example").then((found) => ended.push(`txt ${found}`));
      for (const timeoutMs of [1_000, 30_000, 60_000])
        void failureOf(waiting, "https://a.example/", { timeoutMs }).then(() => ended.push(`${timeoutMs}`));
      for (const [ms, count] of [
        [4_999, 1],
        [1, 2],
        [24_999, 2],
        [1, 4],
      ] as const) {
        await vi.advanceTimersByTimeAsync(ms);
        expect(ended).toHaveLength(count);
      }
      expect(ended).toEqual(["1000", "txt null", "30000", "60000"]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the list of exempt hosts", () => {
  it("exempts the calls that may use it, and no others", async () => {
    const outbound = openOutbound({ allow: ["127.0.0.1"] });
    const request = { ...ask, url: `http://127.0.0.1:${listener.port}/` };
    const before = listener.connections;
    expect((await outbound.send(request)).status).toBe(200);
    expect(listener.connections).toBe(before + 1);
    const refused = outbound.send({ ...request, exemptions: false });
    await expect(refused).rejects.toMatchObject({ reason: "blocked" });
    expect(listener.connections).toBe(before + 1);
    await outbound.close();
  });

  it.each([["127.0.0.1"], ["127.0.0.0/8"]])("lets %s be called by http and on any port", async (entry) => {
    const outbound = openOutbound({ allow: [entry] });
    const before = listener.connections;
    const answer = await outbound.send({ ...ask, url: `http://127.0.0.1:${listener.port}/` });
    expect([answer.status, answer.body.toString()]).toEqual([200, "ok"]);
    expect(listener.connections).toBe(before + 1);
    expect(outbound.refusal(`http://[::1]:${listener.port}/`)).not.toBeNull();
    expect(outbound.refusal(`http://93.184.215.14:${listener.port}/`)).not.toBeNull();
    for (const credentials of ["user", ":password", "user:password"])
      expect(outbound.refusal(`http://${credentials}@127.0.0.1:${listener.port}/`)).toMatch(/credentials/);
    await outbound.close();
  });

  it("lets a host be called by its name, wherever the name leads", async () => {
    const outbound = openOutbound({ allow: ["Localhost"] });
    expect((await outbound.send({ ...ask, url: `http://localhost:${listener.port}/` })).status).toBe(200);
    expect(outbound.refusal(`http://LOCALHOST.:${listener.port}/`)).toBeNull();
    expect(outbound.refusal(`http://other.localhost:${listener.port}/`)).not.toBeNull();
    await outbound.close();
  });

  it("lets other names lead into an exempt block only by https on the usual port", async () => {
    const names = openNames([`127.0.0.1:${dns.port}`]);
    const outbound = openOutbound({ allow: ["127.0.0.1"], ports: [listener.port], ...names });
    ANSWERS["inside.example"] = ["127.0.0.1"];
    const before = listener.connections;
    expect((await failureOf(outbound, `https://inside.example:${listener.port}/`)).reason).toBe("failed");
    expect(listener.connections).toBe(before + 1);
    expect((await failureOf(outbound, `http://inside.example:${listener.port}/`)).reason).toBe("blocked");
    await outbound.close();
  });

  it("holds one address of IPv6, and not its neighbours", () => {
    const outbound = openOutbound({ allow: ["2606:4700::1111"] });
    expect(outbound.refusal("http://[2606:4700::1111]/")).toBeNull();
    expect(outbound.refusal("http://[2606:4700::1112]/")).not.toBeNull();
  });

  it("refuses an invalid entry", () => {
    expect(() => openOutbound({ allow: ["10.0.0.0/99"] })).toThrow(/10\.0\.0\.0\/99/);
  });
});

describe("a hostile server", () => {
  const allow = ["127.0.0.1"];
  const opened: { server: Server; sockets: Set<Socket> }[] = [];
  let outbound: Outbound;
  beforeAll(() => {
    outbound = openOutbound({ allow });
  });
  afterEach(() => {
    for (const { server, sockets } of opened.splice(0)) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
  afterAll(() => outbound.close());

  async function serve(behave: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      socket.once("data", () => behave(socket));
    });
    opened.push({ server, sockets });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  function repeat(socket: Socket, ms: number, text: string | Buffer): void {
    const timer = setInterval(() => socket.write(text), ms);
    socket.on("close", () => clearInterval(timer));
  }

  function flood(socket: Socket, chunk: string): void {
    const go = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", go);
    go();
  }

  const OK = "HTTP/1.1 200 OK\r\n";
  const HOSTILE: Record<string, (socket: Socket) => void> = {
    "is silent": () => {},
    "drips its headers": (socket) => {
      socket.write(OK);
      repeat(socket, 20, "x: y\r\n");
    },
    "drips its body": (socket) => {
      socket.write(`${OK}content-length: 4000\r\n\r\n`);
      repeat(socket, 20, "x");
    },
    "never ends its body": (socket) => {
      socket.write(`${OK}\r\n`);
      flood(socket, "x".repeat(65_536));
    },
    "never ends its chunks": (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, `1000\r\n${"x".repeat(0x1000)}\r\n`);
    },
    "announces 10 GB": (socket) => {
      socket.write(`${OK}content-length: 10000000000\r\n\r\n`);
      flood(socket, "x".repeat(65_536));
    },
    "sends a header of 1 MB": (socket) => socket.write(`${OK}x: ${"y".repeat(1 << 20)}\r\n\r\n`),
    "sends 10,000 early hints": (socket) =>
      socket.write("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(10_000)),
    "sends early hints without end": (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"),
    "resets the connection": (socket) => socket.resetAndDestroy(),
    "hangs up": (socket) => socket.end(),
    "hangs up in its body": (socket) => socket.end(`${OK}content-length: 100\r\n\r\nabc`),
    "talks nonsense": (socket) => socket.end("\u0000\u0001SSH-2.0 nonsense\r\n\r\n"),
    "sends two lengths": (socket) =>
      socket.end(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  };

  it.each(Object.entries(HOSTILE))("that %s is given up in time and bounds", async (_name, behave) => {
    const url = await serve(behave);
    const rss = process.memoryUsage().rss;
    const failure = failureOf(outbound, url, { timeoutMs: 500 });
    expect(await turnsMsOf(failure)).toBeLessThan(1500);
    expect((await failure).reason).toBe("failed");
    expect(process.memoryUsage().rss - rss).toBeLessThan(40e6);
  });

  it("that does not finish a TLS handshake is given up in time, and after 3 s at most", async () => {
    const url = (await serve(() => {})).replace("http:", "https:");
    const patient = failureOf(outbound, url, { timeoutMs: 30_000 });
    expect(await turnsMsOf(failureOf(outbound, url, { timeoutMs: 300 }))).toBeLessThan(1000);
    expect((await patient).message).toContain("CONNECT_TIMEOUT");
  });

  // This once ended the process: connecting failed before its error had a listener.
  it.each(["https:", "http:"])("that cannot be reached from here is a failure, over %s", async (protocol) => {
    const address = "fe80::1";
    const host = "linklocal.example";
    const unreachable = openOutbound({ allow: [host, "fe80::/10"], lookup: async () => [address] });
    expect((await failureOf(unreachable, `${protocol}//${host}/`)).message).toContain("EINVAL");
    await unreachable.close();
  });

  it.each<[string, string, boolean]>([
    ["ten early hints", "HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(10) + OK, true],
    ["eleven early hints", "HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(11) + OK, false],
    ["headers of 15 KB", `${OK}x: ${"y".repeat(15_000)}\r\n`, true],
    ["headers of 17 KB", `${OK}x: ${"y".repeat(17_000)}\r\n`, false],
  ])("that sends %s is heard or not", async (_what, head, isTaken) => {
    const url = await serve((socket) => socket.end(`${head}content-length: 2\r\n\r\nok`));
    const status = await outbound.send({ ...ask, url }).then(
      (answer) => answer.status,
      () => null,
    );
    expect(status).toBe(isTaken ? 200 : null);
  });

  it("that does not listen is named by its code", async () => {
    const { reason, message } = await failureOf(outbound, `http://127.0.0.1:${await freePort()}/`);
    expect([reason, message]).toEqual(["failed", "The call failed: ECONNREFUSED."]);
  });

  it("may answer as many bytes as the caller takes, and not one more", async () => {
    const url = await serve((socket) => socket.end(`${OK}content-length: 100\r\n\r\n${"x".repeat(100)}`));
    expect((await outbound.send({ ...ask, url, maxBytes: 100 })).body).toHaveLength(100);
    expect((await failureOf(outbound, url, { maxBytes: 99 })).message).toBe(
      "The answer has more than 99 bytes.",
    );
    // No piece of an endless answer is too long.
    const endless = await serve((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      const more = (error?: Error | null) => {
        if (error == null) socket.write("a\r\n0123456789\r\n", (failed) => setImmediate(more, failed));
      };
      more();
    });
    expect((await failureOf(outbound, endless, { maxBytes: 99 })).message).toBe(
      "The answer has more than 99 bytes.",
    );
  });

  it("that redirects is answered, not followed", async () => {
    const before = listener.connections;
    const url = await serve((socket) =>
      socket.end(
        `HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:${listener.port}/\r\ncontent-length: 0\r\n\r\n`,
      ),
    );
    expect((await outbound.send({ ...ask, url })).status).toBe(307);
    expect(listener.connections).toBe(before);
  });

  it("that sends a gzip bomb delivers only the packed bytes", async () => {
    const bomb = gzipSync(Buffer.alloc(3_000_000));
    const url = await serve((socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    expect((await outbound.send({ ...ask, url })).body).toEqual(bomb);
  });

  it("gets the caller's name and the accepted encodings, and no header twice", async () => {
    const url = await serverForTest((request, response) => {
      const [said, chunks]: [string, Buffer[]] = [JSON.stringify([request.url, ...request.rawHeaders]), []];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        response.writeHead(202, { method: request.method, body: Buffer.concat(chunks).toString() });
        response.end(said);
      });
    });
    const { body, status, headers } = await outbound.send({
      ...ask,
      url: `${url}hook?a=1&b=2#c`,
      headers: { "User-Agent": "mine", "Accept-Encoding": "br" },
    });
    const [path, ...raw] = JSON.parse(body.toString()) as string[];
    expect(path).toBe("/hook?a=1&b=2");
    expect([status, headers]).toEqual([202, expect.objectContaining({ method: "POST", body: "{}" })]);
    const named = async (sent: Record<string, string>) => {
      const answer = await outbound.send({
        method: "GET",
        url,
        headers: sent,
        maxBytes: 999,
        timeoutMs: 9_999,
      });
      const raw = JSON.parse(answer.body.toString()) as string[];
      return [answer.headers["method"], answer.headers["body"], raw[raw.indexOf("user-agent") + 1]];
    };
    expect([await named({}), await named({ "User-Agent": "mine" })]).toEqual([
      ["GET", "", "agent-board"],
      ["GET", "", "mine"],
    ]);
    const lower = raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    expect(new Set(lower).size).toBe(lower.length);
    expect(raw[raw.findIndex((name) => name.toLowerCase() === "accept-encoding") + 1]).toBe("identity");
  });

  it("has no open connection after each call, and none is used twice", async () => {
    const sockets: Socket[] = [];
    const url = await serve((socket) => {
      sockets.push(socket);
      socket.write(`${OK}content-length: 2\r\nconnection: keep-alive\r\n\r\nok`);
    });
    for (let call = 0; call < 3; call += 1) await outbound.send({ ...ask, url });
    await Promise.all(sockets.map((socket) => socket.destroyed || once(socket, "close")));
    expect(sockets).toHaveLength(3);
  });

  it("is disconnected at once when the board stops", async () => {
    const stopping = openOutbound({ allow });
    const url = await serve(() => {});
    const call = failureOf(stopping, url, { timeoutMs: 30_000 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await turnsMsOf(stopping.close())).toBeLessThan(5_000);
    expect((await call).reason).toBe("failed");
    expect((await failureOf(stopping, url)).reason).toBe("failed");
    expect(await stopping.txt("_board.example.org")).toBeNull();
  });
});

describe("names", () => {
  it("have addresses of both sorts, those of IPv4 first", async () => {
    const names = openNames([`127.0.0.1:${dns.port}`]);
    const addresses = (name: string) => names.lookup(name, new AbortController().signal);
    ANSWERS["both.example"] = ["2606:4700::1111", "93.184.215.14"];
    ANSWERS["six.example"] = ["2606:4700::1111"];
    expect(await addresses("both.example")).toEqual(["93.184.215.14", "2606:4700::1111"]);
    expect(await addresses("six.example")).toEqual(["2606:4700::1111"]);
  });
});

// These wait for a silent name server, as long as a board does, and for another process.
describe.concurrent("TXT records", () => {
  it("are joined from their chunks, at most 20 of 1,000 characters", async () => {
    ANSWERS["_board.many.example"] = Array.from(
      { length: 25 },
      () => `txt:${"a".repeat(200)}|${"b".repeat(200)}`,
    );
    const records = await guarded.txt("_board.many.example");
    expect(records).toHaveLength(20);
    expect(records?.[0]).toBe("a".repeat(200) + "b".repeat(200));
    ANSWERS["_board.long.example"] = [`txt:${Array.from({ length: 6 }, () => "c".repeat(250)).join("|")}`];
    expect((await guarded.txt("_board.long.example"))?.[0]).toHaveLength(1000);
  });

  it("are none when the name has none", async () => {
    expect(await guarded.txt("_board.none.example")).toEqual([]);
    expect(await guarded.txt("not a name")).toEqual([]);
    // Or where there is no such name.
    const others = await startTxtServer();
    const { resolveTxt } = openNames([others.server]);
    expect(await resolveTxt("_board.none.example", new AbortController().signal)).toEqual([]);
    others.stop();
  });

  it("are asked for again where the first answer is lost", async () => {
    ANSWERS["_board.lossy.example"] = ["silence", ";", "txt:here"];
    expect(await guarded.txt("_board.lossy.example")).toEqual(["here"]);
  });

  it("are unknown when the name server is silent", async () => {
    ANSWERS["_board.silent.example"] = ["silence"];
    expect(await guarded.txt("_board.silent.example")).toBeNull();
  });
});

describe.concurrent("TLS", () => {
  const openssl = spawnSync("openssl", ["version"]).status === 0;
  const run = promisify(execFile);
  const folder = useFolder();

  /** A key, and a certificate that it signed itself, for a host. */
  async function certified(host: string, file: string): Promise<{ key: string; cert: string }> {
    const [key, cert] = [join(folder, `${file}.key`), join(folder, `${file}.cert`)];
    const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    await run("openssl", ["req", ...kind, "-keyout", key, "-out", cert, "-days", "2", ...subject]);
    return { key, cert };
  }

  it.skipIf(!openssl)("is checked against the name, although the address is resolved first", async () => {
    const trusted = await certified("hooks.example", "trusted");
    const stranger = await certified("hooks.example", "stranger");
    // A process reads its trusted roots at the start, so another one makes the calls.
    const outgoing = moduleOf("outbound/guarded-fetch");
    const program = join(folder, "call.mjs");
    writeFileSync(
      program,
      `import { once } from "node:events";
       import { createServer } from "node:https";
       import { readFileSync } from "node:fs";
       import { openOutbound } from ${JSON.stringify(outgoing.href)};
       const call = async ({ key, cert }, host) => {
         const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) },
           (request, response) => response.end(request.headers.host));
         await once(server.listen(0, "127.0.0.1"), "listening");
         const { port } = server.address();
         const outbound = openOutbound({ allow: ["127.0.0.1"], ports: [port], lookup: async () => ["127.0.0.1"] });
         const url = "https://" + host + ":" + port + "/";
         const said = await outbound.send({ method: "GET", url, maxBytes: 99, timeoutMs: 20000 })
           .then((answer) => answer.body.toString().split(":")[0], (error) => error.message);
         server.close();
         return said;
       };
       const [trusted, stranger] = ${JSON.stringify([trusted, stranger])};
       console.log(JSON.stringify([
         await call(trusted, "hooks.example"),
         await call(trusted, "other.example"),
         await call(stranger, "hooks.example"),
       ]));`,
    );
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: trusted.cert };
    const { stdout } = await run(process.execPath, [...outgoing.node, program], { env });
    expect(JSON.parse(stdout)).toEqual([
      "hooks.example",
      "TLS failed: ERR_TLS_CERT_ALTNAME_INVALID.",
      "TLS failed: DEPTH_ZERO_SELF_SIGNED_CERT.",
    ]);
  });
});
