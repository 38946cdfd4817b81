import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { makeExport, MAX_EXPORTS, type RequestExport } from "../../access/request-export.ts";
import type { ExportStore } from "./export-store.ts";

/** A store under test. `nowMs` is its clock. */
export interface ExportStoreFixture {
  readonly store: ExportStore;
  nowMs: number;
  /** The store in another process, or in the next process, after the first process was killed. */
  reopenAfterKill(): Promise<ExportStore>;
  cleanUp(): Promise<void>;
}

const DAY_MS = 86_400_000;
const CHUNK = { text: "ü€𝄞,1\r\n", rows: 1, total: 2 };

function sample(changes: Partial<RequestExport> = {}): RequestExport {
  const wanted = { ownerId: "ada", role: "operator", accountId: null, format: "csv", filters: { model: "m", min_tokens: 3 } } as const;
  return { ...makeExport(wanted, 5000), ...changes };
}

async function textOf(store: ExportStore, id: string): Promise<string> {
  return (await Array.fromAsync(store.read((await store.find(id))!))).join("");
}

/** Contract tests for every implementation of this port. */
export function exportStoreContract(name: string, open: () => Promise<ExportStoreFixture>): void {
  describe(`${name} implements ExportStore`, () => {
    let fixture: ExportStoreFixture;
    beforeEach(async () => {
      fixture = await open();
      fixture.nowMs = 6000;
    });
    afterEach(() => fixture.cleanUp());

    const put = async (added = sample()): Promise<string> => {
      expect(await fixture.store.add(added)).toBe(true);
      return added.id;
    };
    const putDone = async (added = sample()): Promise<string> => {
      const id = await put(added);
      await fixture.store.append(id, CHUNK);
      await fixture.store.append(id, { text: "second\r\n", rows: 2, total: 2 });
      await fixture.store.end(id, "done");
      return id;
    };

    test("has the progress of an export, and its file when it is done, even after a restart", async () => {
      const added = sample();
      await put(added);
      expect(await fixture.store.find(added.id)).toEqual(added);
      expect(await fixture.store.append(added.id, CHUNK)).toBe("appended");
      const bytes = Buffer.byteLength(CHUNK.text);
      expect(await fixture.store.find(added.id)).toEqual({ ...added, rows: 1, total: 2, bytes });
      await fixture.store.append(added.id, { text: "second\r\n", rows: 2, total: 2 });
      await fixture.store.end(added.id, "done");
      const done: RequestExport = { ...added, state: "done", rows: 3, total: 3, bytes: bytes + 8, endedAtMs: 6000 };
      for (const store of [fixture.store, await fixture.reopenAfterKill()]) {
        expect(await store.find(added.id)).toEqual(done);
        expect(await textOf(store, added.id)).toBe(`${CHUNK.text}second\r\n`);
      }
    });

    test("reads a file that is larger than a chunk, with its characters", async () => {
      const id = await put();
      const text = "aü€𝄞".repeat(60_000);
      for (let at = 0; at < 3; at++) await fixture.store.append(id, { text, rows: 1, total: null });
      await fixture.store.end(id, "done");
      expect((await textOf(fixture.store, id)) === text.repeat(3)).toBe(true);
    });

    test("interrupts a running export when its process is killed, or closes the store", async () => {
      const [killed, closed] = [await put(), await put()];
      await fixture.store.append(killed, CHUNK);
      const store = await fixture.reopenAfterKill();
      expect(await store.find(killed)).toMatchObject({ state: "interrupted", bytes: 0 });
      expect(await store.find(closed)).toMatchObject({ state: "interrupted", bytes: 0, endedAtMs: 6000 });
      const other = sample();
      await store.add(other);
      await store.close();
      expect(await store.append(other.id, CHUNK)).toBe("stopped");
      expect(await (await fixture.reopenAfterKill()).find(other.id)).toMatchObject({ state: "interrupted", bytes: 0 });
    });

    test("adds nothing to an export that was cancelled, failed, or deleted", async () => {
      const [cancelled, failed, deleted] = [await put(), await put(), await put()];
      for (const id of [cancelled, failed, deleted]) await fixture.store.append(id, CHUNK);
      await fixture.store.end(cancelled, "cancelled");
      await fixture.store.end(failed, "failed", "why");
      await fixture.store.remove(deleted);
      for (const id of [cancelled, failed, deleted]) expect(await fixture.store.append(id, CHUNK)).toBe("stopped");
      await fixture.store.end(cancelled, "done");
      expect(await fixture.store.find(cancelled)).toMatchObject({ state: "cancelled", rows: 1, bytes: 0, error: null });
      expect(await fixture.store.find(failed)).toMatchObject({ state: "failed", error: "why" });
      expect(await fixture.store.find(deleted)).toBeUndefined();
    });

    test("does not return an incomplete file", async () => {
      const id = await putDone();
      const done = (await fixture.store.find(id))!;
      const [outcome] = await Promise.allSettled([Array.fromAsync(fixture.store.read({ ...done, bytes: done.bytes + 1 }))]);
      expect(outcome.status).toBe("rejected");
    });

    test("deletes an export when it expires, running or done", async () => {
      const [done, running] = [await putDone(), await put()];
      fixture.nowMs = 5000 + DAY_MS - 1;
      expect(await fixture.store.listOf("ada")).toHaveLength(2);
      fixture.nowMs += 1;
      expect(await fixture.store.listOf("ada")).toEqual([]);
      expect(await fixture.store.append(running, CHUNK)).toBe("stopped");
      fixture.nowMs -= 1;
      expect(await fixture.store.find(done)).toBeUndefined();
    });

    test("lists the exports of an owner, newest first, and limits their number", async () => {
      const ids = [];
      for (let at = 0; at < MAX_EXPORTS - 1; at++) ids.unshift(await put(sample({ createdAtMs: 5000 + at })));
      const newest = [sample({ createdAtMs: 5900 }), sample({ createdAtMs: 5900 })];
      const added = await Promise.all(newest.map((each) => fixture.store.add(each)));
      expect(new Set(added)).toEqual(new Set([false, true]));
      expect((await fixture.store.listOf("ada")).map(({ id }) => id)).toEqual([newest[added.indexOf(true)]!.id, ...ids]);
      expect(await fixture.store.listOf("bob")).toEqual([]);
      await put(sample({ ownerId: "bob" }));
      await fixture.store.remove(ids[0]!);
      await put();
    });

    test("deletes every export that may have requests of an account", async () => {
      const ids = [await putDone(), await put(sample({ accountId: "acme" })), await put(sample({ accountId: "other" }))];
      await fixture.store.removeWithAccount("acme");
      expect((await fixture.store.listOf("ada")).map(({ id }) => id)).toEqual([ids[2]!]);
    });
  });
}
