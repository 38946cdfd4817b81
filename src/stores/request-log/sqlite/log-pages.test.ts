import { expect, test } from "bun:test";
import { LogInFolder } from "../../../../test/request-log/log-in-folder.ts";
import { logPagesContract } from "../log-pages.contract.ts";
import { CHUNK_ROWS } from "../request-rows.ts";

logPagesContract("EmbeddedRequestLogStore", () => new LogInFolder(), 25);

test("finds a request in any of many chunks", async () => {
  const log = new LogInFolder();
  try {
    const noted = log.noteMany(2 * CHUNK_ROWS + 100);
    const rare = [0, 1, 2].map((at) => {
      const [id] = log.note({ notes: { accountId: "rare", keyId: `k${at}` } });
      noted.push(id!, ...log.noteMany(50));
      return id!;
    });
    expect(await log.ids()).toEqual(noted);
    for (const direction of ["older", "newer"] as const) {
      const found = await log.store.list({ accountId: "rare" }, undefined, direction, 2);
      expect(found.map(({ request }) => request.requestId)).toEqual((direction === "newer" ? rare : rare.toReversed()).slice(0, 2));
    }
    expect(await log.store.list({ accountId: "rare", model: "other" }, undefined, "older", 2)).toEqual([]);
    for (const id of [noted[0]!, noted[CHUNK_ROWS]!, noted.at(-1)!]) expect((await log.store.find(id))?.requestId).toBe(id);
  } finally {
    await log.remove();
  }
});
