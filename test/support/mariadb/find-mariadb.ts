import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The server, which Debian installs in a folder outside of most users' PATH, and the program that creates its data directory. Undefined if
 * one of them is missing.
 */
export function findMariaDb(): { readonly server: string; readonly install: string } | undefined {
  const folders = ["/usr/sbin", ...(process.env["PATH"] ?? "").split(":")];
  const find = (program: string): string | undefined => folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
  const [server, install] = [find("mariadbd"), find("mariadb-install-db")];
  return server !== undefined && install !== undefined ? { server, install } : undefined;
}

const PACKAGES = "apt-get install mariadb-server-core mariadb-client-core";

/** Whether MariaDB is installed, for tests of MySQL. In CI its absence is a failure. */
export const hasMariaDb = findMariaDb() !== undefined;

if (!hasMariaDb && process.env["CI"]) throw new Error(`MariaDB is not installed: ${PACKAGES}`);
if (!hasMariaDb) process.stderr.write(`Tests of MySQL are skipped, because MariaDB is not installed: ${PACKAGES}\n`);
