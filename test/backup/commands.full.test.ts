import { afterAll, beforeAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadStorageConfig } from "../../src/config.ts";
import { useFolder } from "../../src/main/moving/opened-sides.ts";
import { SmallDisk } from "../crash/small-disk.ts";
import { seededRandom } from "../streams/seeded-stream.ts";
import { eventually } from "../support/eventually.ts";
import { launcher } from "../support/gateway/launcher.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { isLong } from "../support/long.ts";
import { fillFolder } from "../support/gateway/fill-folder.ts";

const KILLS = isLong ? 100 : 4;
const MEGABYTE =
  "insert into answers (scope, digest, request_id, at_ms, headers, body) values (?, '', '', 0, '{}', hex(randomblob(524288)))";

let folder: string;
let data: string;

/** A data folder that is large enough for a backup to take a while. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-commands-"));
  data = (await fillFolder()).path;
  await useFolder(loadStorageConfig({ TOLLGATE_DATA: data }), async () => undefined);
  const file = new Database(join(data, "tollgate.db"));
  for (let at = 0; at < 20; at++) file.query(MEGABYTE).run(`large-${at}`);
  file.close();
});
afterAll(() => {
  for (const each of [folder, data]) rmSync(each, { recursive: true });
});

async function tollgate(args: readonly string[], dataFolder: string): Promise<Outcome> {
  const child = spawn(args, dataFolder);
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

function spawn(args: readonly string[], dataFolder: string): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  const env = { PATH: process.env["PATH"]!, TOLLGATE_DATA: dataFolder };
  return Bun.spawn([launcher(), ...args], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

test("a backup is made, verified and restored by the command line", async () => {
  const file = join(folder, "a.backup");
  const made = await tollgate(["backup", "a.backup", "--with-request-log", "--json"], data);
  expect(made.stderr).toBe("");
  expect(JSON.parse(made.stdout)).toMatchObject({
    file,
    source: data,
    hash_secret: true,
    credentials: false,
    unshipped_processes: [],
    deleted: [],
  });
  const verified = await tollgate(["backup", "verify", file], data);
  expect(verified.stdout).toContain(`${file} is complete and undamaged.`);
  expect(verified.stdout).toMatch(/Ledger +\d+ entries of \d+ accounts? and \d+ keys?, without discrepancies/);
  const to = join(folder, "restored");
  const restored = await tollgate(["restore", file], to);
  expect([restored.code, restored.stderr]).toEqual([0, ""]);
  expect(restored.stdout).toContain(`Restored ${file} to ${to}.`);
  expect(restored.stdout).toContain("Set TOLLGATE_SECRET before the start");
  const again = await tollgate(["restore", file], to);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is not empty")]);
  const flipped = readFileSync(file);
  flipped[Math.floor(flipped.length / 2)]! ^= 1;
  writeFileSync(join(folder, "flipped.backup"), flipped);
  for (const args of [["backup", "verify"], ["restore"]]) {
    const refused = await tollgate([...args, join(folder, "flipped.backup")], join(folder, "flipped"));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("does not match its checksum")]);
  }
  truncateSync(file, readFileSync(file).length - 1);
  const damaged = await tollgate(["backup", "verify", file, "--json"], data);
  expect([damaged.code, JSON.parse(damaged.stderr)]).toEqual([1, expect.objectContaining({ code: "backup_refused" })]);
  const wrong = await tollgate(["backup", folder, "--keep", "0"], data);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--keep must be between 1 and 10000")]);
});

test(
  `kill -9 at ${KILLS} moments leaves no file that looks complete, and nothing that the next backup does not remove`,
  async () => {
    const random = seededRandom("killed backups");
    const to = mkdtempSync(join(folder, "killed-"));
    for (let at = 0; at < KILLS; at++) {
      const child = spawn(["backup", to], data);
      await eventually(
        () => readdirSync(to).some((name) => name.endsWith(".incomplete")) || child.exitCode !== null,
        (hasBegun) => hasBegun,
        { everyMs: 1 },
      );
      await Bun.sleep(at === 0 ? 0 : random() * 250);
      child.kill("SIGKILL");
      await child.exited;
      for (const name of readdirSync(to).filter((each) => each.endsWith(".backup"))) {
        expect((await tollgate(["backup", "verify", join(to, name)], data)).code).toBe(0);
        rmSync(join(to, name));
      }
    }
    const last = await tollgate(["backup", to, "--keep", "1"], data);
    expect([last.code, last.stderr]).toEqual([0, ""]);
    expect(readdirSync(to)).toEqual([expect.stringMatching(/^tollgate-[\dTZ-]+\.backup$/)]);
  },
  isLong ? 1_200_000 : 300_000,
);

test(
  `kill -9 at ${KILLS} moments of a restore leaves a folder that is complete, or into which it can be repeated`,
  async () => {
    const random = seededRandom("killed restores");
    const file = join(folder, "for-restores.backup");
    await tollgate(["backup", file, "--with-request-log"], data);
    for (let at = 0; at < KILLS; at++) {
      const to = join(mkdtempSync(join(folder, "restores-")), "data");
      const child = spawn(["restore", file], to);
      await eventually(
        () => existsSync(join(to, "restoring")) || child.exitCode !== null,
        (hasBegun) => hasBegun,
        { everyMs: 1 },
      );
      await Bun.sleep(at === 0 ? 0 : random() * 250);
      child.kill("SIGKILL");
      await child.exited;
      const wasInterrupted = existsSync(join(to, "restoring"));
      const again = await tollgate(["restore", file], to);
      expect([again.code, again.stderr]).toEqual(wasInterrupted ? [0, ""] : [1, expect.stringContaining("is not empty")]);
      expect(readdirSync(to).toSorted()).toEqual(expect.arrayContaining(["hash-secret", "requests", "tollgate.db"]));
      expect((await tollgate(["backup", join(to, "../copy.backup")], to)).code).toBe(0);
    }
  },
  isLong ? 1_200_000 : 300_000,
);

const disk = SmallDisk.mount(8);
if (!disk) process.stderr.write("The test of a full disk in test/backup is skipped: this user may not mount a tmpfs\n");
afterAll(() => disk?.unmount());

test.skipIf(!disk)("a backup and a restore that do not fit on the disk say so, and leave nothing on it", async () => {
  const { code, stderr } = await tollgate(["backup", join(disk!.path, "a.backup")], data);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/has [\d.]+ MB free, and up to [\d.]+ MB are needed/)]);
  expect(readdirSync(disk!.path)).toEqual([]);
  await tollgate(["backup", "b.backup"], data);
  const restored = await tollgate(["restore", join(folder, "b.backup")], join(disk!.path, "data"));
  expect([restored.code, restored.stderr]).toEqual([1, expect.stringMatching(/MB are needed/)]);
  expect(existsSync(join(disk!.path, "data", "restoring"))).toBe(false);
});
