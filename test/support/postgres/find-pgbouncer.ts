import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasPostgres } from "./find-postgres.ts";

/** PgBouncer's program, which Debian installs in a folder outside of most users' PATH. Undefined if it is not installed. */
export function findPgBouncer(): string | undefined {
  const folders = ["/usr/sbin", ...(process.env["PATH"] ?? "").split(":")];
  return folders.map((folder) => join(folder, "pgbouncer")).find((path) => existsSync(path));
}

/** If PostgreSQL is missing, only its absence is reported. */
export const hasPgBouncer = hasPostgres && findPgBouncer() !== undefined;

if (hasPostgres && !hasPgBouncer) {
  if (process.env["CI"]) throw new Error("PgBouncer is not installed: apt-get install pgbouncer");
  process.stderr.write("Tests of PgBouncer are skipped, because it is not installed: apt-get install pgbouncer\n");
}
