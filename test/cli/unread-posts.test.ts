import { beforeAll, describe, expect, it } from "vitest";
import { examineModel } from "../../src/cli/doctor.ts";
import { countUnread, isUnread, UNREAD_SETTING } from "../../src/domain/board/unread-posts.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { aPost, aPublisher, T0 } from "../support/search/rows.ts";

const TURKISH = {
  title: "Piyano dersi veriyorum",
  body: "Kadıköy'de yeni başlayanlar için haftada iki gün evde ders, ilk ders ücretsiz.",
};

describe("posts that the model makes nothing of", () => {
  it.each([
    ["Turkish", `${TURKISH.title}. ${TURKISH.body}`, true],
    ["Hindi", "शनिवार को नदी की सफाई। दस्ताने और थैले दिए जाएंगे, सब लोग आइए और दोस्तों को लाइए", true],
    [
      "English",
      "Piano lessons for beginners in the evening, the first hour is free and children are welcome.",
      false,
    ],
    [
      "German, which has glosses",
      "Gebrauchtes Fahrrad zu verkaufen, drei Gänge, neue Reifen, in der Nähe vom Bahnhof.",
      false,
    ],
    ["a few words", "Road bike, Shimano 105", false],
    ["seven words", "qaqa qeqe qiqi qoqo ququ qyqy qaqe", false],
    ["eight words", "qaqa qeqe qiqi qoqo ququ qyqy qaqe qaqi", true],
    ["one English word in twelve", "the qaqa qeqe qiqi qoqo ququ qyqy qaqe qaqi qaqo qaqu qaqy", false],
    ["one English word in thirteen", "the qaqa qeqe qiqi qoqo ququ qyqy qaqe qaqi qaqo qaqu qaqy qeqa", true],
  ])("are those in a language without glosses: %s", (_language, text, unread) => {
    expect(isUnread(text)).toBe(unread);
  });

  describe("on a board", () => {
    const board = useTestBoard({}, { idle: true });
    beforeAll(async () => {
      const { key } = await register(board);
      await write(board, key, TURKISH);
      await write(board, key, { title: "Lamp", body: "It is for sale at the market, and the shade is new." });
    });

    it("are counted, and doctor suggests a model that reads them", async () => {
      const { store, index, embedder } = board.board;
      await countUnread({ store, index, embedder }, Date.now());
      const said = async () => {
        const findings: string[] = [];
        for await (const { level, text } of examineModel({ ...board.board.config, embeddings: "auto" }))
          findings.push(`${level} ${text}`);
        return findings.join("\n");
      };
      expect(await said()).toMatch(/warning makes nothing of 50 % .*EMBEDDING_MODEL=multilingual/);
      // From a fifth of them on it is worth its costs.
      await store.settings.set(UNREAD_SETTING, "20");
      expect(await said()).toMatch(/makes nothing of 20 %/);
      await store.settings.set(UNREAD_SETTING, "19");
      expect(await said()).not.toMatch(/makes nothing/);
    });
  });

  describe("among the newest two hundred", () => {
    const board = useTestBoard({}, { idle: true });

    it("are counted where the model reads English alone", async () => {
      const { store, index, embedder } = board.board;
      await store.publishers.insert(aPublisher("pub_a"));
      const english = { title: "Lamp", body: "It is for sale at the market, and the shade is new." };
      const written = (n: number, text: object) =>
        store.posts.insert(aPost(`p${n}`, { publisherId: "pub_a", createdAt: n, ...text }));
      await written(0, TURKISH);
      for (let n = 1; n < 200; n += 1) await written(n, english);
      const counted = async (reads: { english: boolean }) => {
        await countUnread({ store, index, embedder: { ...embedder, ...reads } }, T0);
        return store.settings.get(UNREAD_SETTING);
      };
      expect(await counted({ english: false })).toBeNull();
      expect(await counted({ english: true })).toBe("1");
      await written(200, english);
      expect(await counted({ english: true })).toBe("0");
    });
  });
});
