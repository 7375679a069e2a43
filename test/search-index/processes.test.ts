import { expect, it } from "vitest";
import { post, useIndexFile } from "../support/search/embedded-index.ts";
import { IndexProcess } from "../support/search/index-process.ts";

const openIndex = useIndexFile();

it("two processes on one file know at once what the other committed", async () => {
  const { folder } = openIndex();
  const one = await IndexProcess.start(folder);
  const two = await IndexProcess.start(folder);
  try {
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
      const id = `p${round}`;
      const word = `word${round}`;
      await writer.tell({
        put: [post({ id, title: `Bike ${word}` }), post({ id: `${id}-gone`, title: word })],
      });
      expect((await reader.tell({ find: word })).sort()).toEqual([id, `${id}-gone`]);
      await reader.tell({ remove: [`${id}-gone`] });
      expect(await writer.tell({ find: word })).toEqual([id]);
      await reader.tell({ put: [post({ id, title: "Cello" })] });
      expect(await writer.tell({ find: word })).toEqual([]);
      expect(await writer.tell({ find: "cello" })).toHaveLength(round + 1);
    }
    await one.tell({ suspend: "pub_1" });
    expect(await two.tell({ find: "cello" })).toEqual([]);
  } finally {
    await Promise.all([one.end(), two.end()]);
  }
});

it("and one of them may write while the other is asked", async () => {
  const { folder } = openIndex();
  const writer = await IndexProcess.start(folder);
  const reader = await IndexProcess.start(folder);
  try {
    for (let round = 0; round < 12; round += 1) {
      const put = Array.from({ length: 80 }, (_, i) =>
        post({ id: `p${round}-${i}`, title: `round${round}` }),
      );
      const written = writer.tell({ put });
      // Either all of a transaction or nothing of it.
      expect([0, 80]).toContain((await reader.tell({ find: `round${round}` })).length);
      await written;
      expect(await reader.tell({ find: `round${round}` })).toHaveLength(80);
    }
  } finally {
    await Promise.all([writer.end(), reader.end()]);
  }
});
