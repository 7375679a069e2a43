import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { Publishers } from "../../src/domain/publishers/index.ts";
import { jobsOf } from "../../src/jobs/schedule.ts";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { type Outbound, OutboundError } from "../../src/ports/outbound.ts";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { titles, write } from "../support/boards/writing.ts";
import { type Response, startReceiver } from "../support/clients/receiver.ts";

const DAY_MS = 86_400_000;

describe("routes of publishers", () => {
  const board = useTestBoard();

  describe("POST /publishers/verify", () => {
    it("answers 202 with instructions while there is no proof", async () => {
      const { body: made } = await call(board, "POST /publishers", {
        name: "Site",
        url: "https://nobody-owns-this.invalid/",
        accept_terms: true,
      });
      const { status, body } = await call(board, "POST /publishers/verify", {}, { key: made.data.api_key });
      expect(status).toBe(202);
      expect(body.data).toMatchObject({ id: made.data.id, verified: false, verify: made.data.verify });
      expect(body.data).not.toHaveProperty("verified_via");
    });

    it("takes a new url, which drops the older proof and gives a new token for a new domain", async () => {
      const { id, key } = await register(board, "Moving");
      const verify = async (url: string) =>
        (await call(board, "POST /publishers/verify", { url }, { key })).body.data;
      const first = await verify("https://one.invalid/");
      await board.board.store.publishers.update(id, { verifiedAt: Date.now(), verifiedVia: "dns" });
      const second = await verify("https://two.invalid/");
      expect(second).toMatchObject({ domain: "two.invalid", url: "https://two.invalid/", verified: false });
      expect(second.verify.token).not.toBe(first.verify.token);
      const sameDomain = await verify("https://www.two.invalid/elsewhere");
      expect(sameDomain.verify.token).toBe(second.verify.token);
    });

    it.each([
      ["https://www.shop.example.org/about", "shop.example.org"],
      ["https://shop.example.org./", "shop.example.org"],
      ["https://b\u00fccher.example.org/", "xn--bcher-kva.example.org"],
      ["https://somebody.github.io/", "somebody.github.io"],
      ["https://github.io/", null],
      ["https://shop.co.uk/", "shop.co.uk"],
      ["https://co.uk/", null],
      ["https://93.184.215.14/", null],
    ])("reads the domain that %s proves: %s", async (url, domain) => {
      const { key } = await register(board);
      const { body } = await call(board, "POST /publishers/verify", { url }, { key });
      expect(body.data.verify.domain).toBe(domain);
    });

    it("fails with invalid_url for a site that the board may not call", async () => {
      const { key } = await register(board);
      const { body } = await call(board, "POST /publishers/verify", { url: "https://[::1]/" }, { key });
      expect(body.error?.code).toBe("invalid_url");
      expect(body.error.issues[0].path).toBe("url");
    });

    describe("with the proof in place", () => {
      const line = ({ verify }: { verify: { file: { line: string } } }) => verify.file.line;
      /** A publisher with a domain, and a `Publishers` that looks for its proof through `outbound`. */
      const publisherOf = async (domain: string, outbound: Outbound) => {
        const { body } = await call(board, "POST /publishers", {
          name: "Site",
          url: `https://${domain}/`,
          accept_terms: true,
        });
        const publishers = new Publishers({
          store: board.board.store,
          outbound,
          site: board.board.site,
          posts: board.board.services.posts,
          registration: "open",
        });
        const prove = async () => {
          const caller = await board.board.store.publishers.get(body.data.id);
          if (caller === null) throw new Error("gone");
          return (await publishers.verify(caller, null, Date.now())).via;
        };
        return { ...body.data, prove, publishers };
      };

      /** A publisher of a domain whose site answers as `site.answer` says. */
      const siteOf = async (domain: string, more: Partial<Outbound> = {}) => {
        const site: { answer: Response } = { answer: { status: 404 } };
        const receiver = await startReceiver(() => site.answer);
        onTestFinished(() => receiver.stop());
        const made = await publisherOf(domain, { ...sitesAt(receiver.url, domain), ...more });
        const isVerified = async () =>
          (await call(board, `GET /publishers/${made.id}`)).body.data.verified as boolean;
        return { ...made, site, isVerified, receiver };
      };

      it("is verified by a TXT record that equals the value, joined from its chunks", async () => {
        const records = new Map<string, string[][]>();
        const outbound = openOutbound({
          allow: [],
          resolveTxt: async (name) => records.get(name) ?? [],
          lookup: async () => [],
        });
        const { id, prove, ...made } = await publisherOf("dns.example.org", outbound);
        const value = line(made);
        for (const wrong of [[value.slice(0, -1)], [`${value}x`], ["v=spf1 -all"]]) {
          records.set("_board.dns.example.org", [wrong]);
          expect(await prove()).toBeNull();
        }
        records.set("dns.example.org", [[value]]);
        records.set("_board.dns.example.org", [
          ["v=spf1"],
          [` ${value.slice(0, 20)}`, `${value.slice(20)} `],
        ]);
        expect(await prove()).toBe("dns");
        expect((await call(board, `GET /publishers/${id}`)).body.data.verified).toBe(true);
        expect(await board.board.store.publishers.get(id)).toMatchObject({ verifiedVia: "dns" });
        const own = await call(board, "GET /publishers/me", undefined, { key: made.api_key });
        expect(own.body.data.verify).toEqual({
          ...made.verify,
          next: "Verified. Keep the record or the file; it is looked at again every 30 days.",
        });
        await write(board, made.api_key, { tags: ["by-dns"], title: "verified now" });
        expect(await titles(board, "/search?tags=by-dns&verified=true")).toEqual(["verified now"]);
        records.clear();
        expect(await prove()).toBeNull();
        expect(await titles(board, "/search?tags=by-dns&verified=true")).toEqual([]);
        await outbound.close();
      });

      it("is verified by a line of the well-known file, and by no other answer", async () => {
        const { site, receiver, prove, ...made } = await siteOf("file.example.org");
        const value = line(made);
        const refused: Response[] = [
          { status: 404, body: value },
          { status: 302, headers: { location: "/elsewhere" }, body: value },
          { status: 200, body: `<p>${value}</p>` },
          { status: 200, body: value.toUpperCase() },
          { status: 200, body: `${"x".repeat(9 * 1024)}\n${value}` },
          { status: 200, body: "" },
        ];
        for (const wrong of refused) {
          site.answer = wrong;
          expect(await prove(), JSON.stringify(wrong).slice(0, 80)).toBeNull();
        }
        site.answer = { body: `\uFEFF# Our boards\r\n ${value} \r\nanother` };
        expect(await prove()).toBe("file");
        await receiver.stop();
        expect(await prove()).toBeNull();
      });

      it("proves nothing for a domain set while the old one is checked", async () => {
        const [reached, goOn] = [new AbortController(), new AbortController()];
        const { id, prove, publishers, site, ...made } = await siteOf("slow.example.org", {
          async txt(name) {
            if (!name.endsWith("slow.example.org")) return [];
            reached.abort();
            await once(goOn.signal, "abort");
            return [];
          },
        });
        site.answer = { body: line(made) };
        const isReached = once(reached.signal, "abort");
        const slow = prove();
        await isReached;
        const caller = await board.board.store.publishers.get(id);
        if (caller === null) throw new Error("gone");
        const other = await publishers.verify(caller, "https://not-mine.example.org/", Date.now());
        expect(other).toMatchObject({ via: null, publisher: { domain: "not-mine.example.org" } });
        goOn.abort();
        expect(await slow).toBeNull();
        const { data } = (await call(board, `GET /publishers/${id}`)).body;
        expect(data).toMatchObject({ domain: "not-mine.example.org", verified: false });
      });

      it("is checked again 30 days after it was checked, and keeps its first time where it is still there", async () => {
        let records: string[] = [];
        const { id, prove, publishers, site, isVerified, ...made } = await siteOf("again.example.org", {
          txt: async () => records,
        });
        site.answer = { body: line(made) };
        expect(await prove()).toBe("file");
        const { store } = board.board;
        const { verifiedAt } = (await store.publishers.get(id)) ?? {};
        const services = { ...board.board.services, store, publishers } as unknown as Parameters<
          typeof jobsOf
        >[0];
        const job = jobsOf(services).find(({ name }) => name === "recheck-domains");
        const began = Date.now();
        const runAfter = (days: number) => job?.run(began + days * DAY_MS, () => Promise.resolve(true));
        expect(await job?.run(began + 31 * DAY_MS, () => Promise.resolve(false))).toBe(0);
        expect(await store.publishers.get(id)).toMatchObject({ verifiedVia: "file", verifiedAt });
        records = [line(made)];
        await runAfter(31);
        records = [];
        const checked = { verifiedAt, verifiedVia: "dns", checkedAt: began + 31 * DAY_MS };
        expect(await store.publishers.get(id)).toMatchObject(checked);
        site.answer = { status: 404 };
        await runAfter(31 + 29.9);
        expect(await store.publishers.get(id)).toMatchObject(checked);
        await runAfter(31 + 30.1);
        expect(await isVerified()).toBe(false);
      });

      it.each([
        ["the site does not work", { status: 503 }, async () => []],
        ["the site is asked too often", { status: 429 }, async () => []],
        ["DNS does not answer", { status: 404 }, async () => null],
      ])("counts for another week when %s", async (what, broken, txt) => {
        const { id, prove, publishers, site, isVerified, ...made } = await siteOf(
          `${what.length}.outage.example.org`,
          { txt },
        );
        site.answer = { body: line(made) };
        expect(await prove()).toBe("file");
        site.answer = broken;
        const { verifiedAt, checkedAt } = (await board.board.store.publishers.get(id)) ?? {};
        const due = (checkedAt ?? 0) + 7 * DAY_MS;
        for (const before of [Date.now() + 1, due]) {
          await publishers.recheck(before, 100, Date.now());
          expect(await board.board.store.publishers.get(id)).toMatchObject({ verifiedAt, checkedAt });
        }
        await publishers.recheck(due + 1, 100, Date.now());
        expect(await isVerified()).toBe(false);
      });

      it.each([
        ["failed", true],
        ["blocked", false],
      ] as const)("is kept after a call of its site that %s: %s", async (reason, isKept) => {
        const send = () => Promise.reject(new OutboundError(reason, "No."));
        const { id, publishers, isVerified } = await siteOf(`${reason}.example.org`, { send });
        const proved = { verifiedAt: 1, verifiedVia: "file", checkedAt: Date.now() } as const;
        await board.board.store.publishers.update(id, proved);
        await publishers.recheck(Date.now() + 1, 100, Date.now());
        expect(await isVerified()).toBe(isKept);
      });
    });
  });
});

/** An outbound that sends calls to one domain's https site to a local server. All of the call is real except TLS. */
function sitesAt(siteUrl: string, domain: string): Outbound {
  const local = new URL(siteUrl);
  const guarded = openOutbound({ allow: [local.hostname] });
  return {
    ...guarded,
    txt: async () => [],
    send(request) {
      const url = new URL(request.url);
      if (url.protocol !== "https:" || url.host !== domain)
        throw new OutboundError("failed", "No such site.");
      expect(url.pathname).toBe("/.well-known/board.txt");
      expect(request).toMatchObject({ maxBytes: 8_192, timeoutMs: 5_000 });
      return guarded.send({ ...request, url: `${local.origin}${url.pathname}` });
    },
  };
}
