import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeExport } from "../../access/request-export.ts";
import { exportStoreContract } from "./export-store.contract.ts";
import { FolderExportStore } from "./folder-export-store.ts";

exportStoreContract("FolderExportStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-exports-"));
  const opened: FolderExportStore[] = [];
  const open = (): FolderExportStore => {
    opened.push(new FolderExportStore(join(folder, "exports"), () => fixture.nowMs));
    return opened.at(-1)!;
  };
  const fixture = {
    nowMs: 0,
    store: undefined as unknown as FolderExportStore,
    reopenAfterKill: async () => open(),
    async cleanUp() {
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true });
    },
  };
  fixture.store = open();
  return fixture;
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-exports-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sample = makeExport({ ownerId: "ada", role: "operator", accountId: null, format: "jsonl", filters: {} }, 5000);
const openStore = (): FolderExportStore => new FolderExportStore(join(folder, "exports"), () => 6000);

test("files are for the owner of the process alone, and go with their export", async () => {
  const store = openStore();
  await store.add(sample);
  await store.append(sample.id, { text: "{}\n", rows: 1, total: 1 });
  await store.end(sample.id, "done");
  const modes = readdirSync(join(folder, "exports"))
    .toSorted()
    .map((name) => [name, statSync(join(folder, "exports", name)).mode & 0o777]);
  expect(modes).toEqual([
    [`${sample.id}.json`, 0o600],
    [`${sample.id}.jsonl`, 0o600],
  ]);
  expect(statSync(join(folder, "exports")).mode & 0o777).toBe(0o700);
  await store.remove(sample.id);
  expect(readdirSync(join(folder, "exports"))).toEqual([]);
  await store.close();
});

test("a start deletes files that belong to no export, and files of interrupted and expired exports", async () => {
  const killed = openStore();
  const expired = { ...sample, id: "exp_expired", expiresAtMs: 5999 };
  for (const each of [sample, expired]) {
    await killed.add(each);
    await killed.append(each.id, { text: "{}\n", rows: 1, total: 1 });
  }
  for (const name of ["exp_lost.csv", "exp_damaged.json", "exp_foreign.json"]) {
    writeFileSync(join(folder, "exports", name), name === "exp_foreign.json" ? JSON.stringify(sample) : "{");
  }
  const store = openStore();
  expect(readdirSync(join(folder, "exports"))).toEqual([`${sample.id}.json`]);
  expect((await store.listOf("ada")).map(({ id, state }) => [id, state])).toEqual([[sample.id, "interrupted"]]);
  await Promise.all([killed.close(), store.close()]);
});

test("an export leaves room on the disk for the ledger", async () => {
  const store = openStore();
  await store.add(sample);
  const space = spyOn(fs, "statfsSync").mockReturnValue({ bavail: 255, bsize: 1024 * 1024 } as fs.StatsFs);
  try {
    expect(await store.append(sample.id, { text: "{}\n", rows: 1, total: 1 })).toBe("full");
  } finally {
    space.mockRestore();
  }
  expect(await store.append(sample.id, { text: "{}\n", rows: 1, total: 1 })).toBe("appended");
  await store.close();
});
