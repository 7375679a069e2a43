import { beforeAll, describe, expect, it } from "vitest";
import { examineModel } from "../../src/cli/doctor.ts";
import { countUnread, isUnread, UNREAD_SETTING } from "../../src/domain/board/unread-posts.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

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
  ])("are those in a language without glosses: %s", (_language, text, unread) => {
    expect(isUnread(text)).toBe(unread);
  });

  describe("on a board", () => {
    const board = useTestBoard();
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
});
