import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const DEBIAN = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs: Debian's newest version, or the version on the PATH. Undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, "bin")), ...(process.env["PATH"] ?? "").split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** Whether PostgreSQL is installed, for tests of it. In CI its absence is a failure. */
export const hasPostgres = findPostgres() !== undefined;

if (!hasPostgres && process.env["CI"]) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
if (!hasPostgres) process.stderr.write("Tests of PostgreSQL are skipped, because it is not installed: apt-get install postgresql\n");
