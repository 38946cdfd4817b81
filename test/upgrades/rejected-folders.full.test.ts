import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CannotMigrate } from "../../src/stores/cannot-migrate.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { buildFolder, RECORDED } from "./build-folder.ts";

let folder: string;

beforeEach(() => void (folder = buildFolder(RECORDED.at(-1)!).path));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function change(...statements: string[]): void {
  const file = new Database(join(folder, "tollgate.db"));
  for (const statement of statements) file.run(statement);
  file.close();
}

/** Each file and its checksum. */
function contents(): string[][] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !path.endsWith("/lock"));
  return paths.toSorted().map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]);
}

async function startOn(data: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env["PATH"]!, TOLLGATE_DATA: data, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" };
  const child = Bun.spawn([launcher(), "start"], { cwd: data, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

test("rejects the data folder of a newer version in one sentence, and leaves it unchanged", async () => {
  change("insert into kysely_migration values ('0999-of-the-future', '2030-01-01T00:00:00.000Z')", "create table future (a)");
  const before = contents();
  const { code, stdout, stderr } = await startOn(folder);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr:
      `tollgate: the data in ${folder} was used by a newer Tollgate (this version does not know 0999-of-the-future): ` +
      "start that version or a newer one, or restore a backup from before the upgrade.\n",
  });
  expect(contents()).toEqual(before);
});

test("names a failed migration in one sentence, and leaves the data folder unchanged", async () => {
  // As if somebody had created it by hand: 0008 adds this column.
  change("delete from kysely_migration where name >= '0008'");
  const before = contents();
  const error = await openStores({ ...STORE_OPTIONS, dataFolder: folder }).catch((thrown: unknown) => thrown);
  const reason = "0008-upstream-model failed: duplicate column name: upstream_model";
  expect(error).toBeInstanceOf(CannotMigrate);
  expect(String(error)).toEndWith(`the data in ${folder} could not be migrated, and is unchanged: ${reason}`);
  expect(contents()).toEqual(before);
});

test("rejects a journal of a newer version without calling it damaged, and leaves it unchanged", async () => {
  const journal = Buffer.alloc(100);
  journal.write("TGLJ");
  journal.writeUInt32LE(3, 4);
  journal.writeUInt32LE(Bun.hash.crc32(journal.subarray(0, 12)), 12);
  writeFileSync(join(folder, "ledger-journal"), journal);
  const before = contents();
  const error = await openStores({ ...STORE_OPTIONS, dataFolder: folder }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CannotMigrate);
  expect(String(error)).toContain("was used by a newer Tollgate (this version does not know version 3 of ledger-journal)");
  expect(contents()).toEqual(before);
});
