import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findPostgres } from "./find-postgres.ts";
import { runProgram } from "./run-program.ts";

const CACHE = join(import.meta.dir, "../../../node_modules/.cache/tollgate-postgres");
const MIGRATIONS = join(import.meta.dir, "../../../src/stores/migrations");
/** Small WAL segments, because the first segment, which is empty, is copied too. */
const OPTIONS = ["--no-sync", "--auth=trust", "--username=tollgate", "--encoding=UTF8", "--locale=C", "--wal-segsize=1"];

/**
 * The data directory of a new server, owned by this user, with the tables that `addTables` adds. The first directory is stored as a
 * template: a copy takes a tenth of the CPU time of `initdb` and all migrations.
 */
export async function createDataDirectory(user: string | undefined, data: string, addTables: () => Promise<void>): Promise<void> {
  const template = templateFor(user);
  if (existsSync(template)) return copy(template, data);
  await runProgram(user, dirname(data), "initdb", ...OPTIONS, "-D", data);
  await addTables();
  await keep(data, template);
}

/** The template's folder changes after an upgrade of PostgreSQL, with other options or migrations, and for another user. */
function templateFor(user: string | undefined): string {
  const initdb = join(findPostgres()!, "initdb");
  const migrations = readdirSync(MIGRATIONS)
    .toSorted()
    .map((name) => Bun.hash(readFileSync(join(MIGRATIONS, name))));
  const key = [initdb, statSync(initdb).mtimeMs, user ?? process.getuid?.(), ...OPTIONS, ...migrations].join();
  return join(CACHE, Bun.hash(key).toString(36));
}

/** Tests run in parallel: a template gets its final name when it is complete, and the first one stays. */
async function keep(data: string, template: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "new-"));
  try {
    await copy(data, join(folder, "data"));
    if (!existsSync(template)) renameSync(join(folder, "data"), template);
  } catch (error) {
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Copies with owners and permissions, which PostgreSQL requires. */
async function copy(from: string, to: string): Promise<void> {
  const { exited, stderr } = Bun.spawn(["cp", "-a", from, to], { stdio: ["ignore", "ignore", "pipe"] });
  if ((await exited) !== 0) throw new Error(`cp failed: ${await new Response(stderr).text()}`);
}
