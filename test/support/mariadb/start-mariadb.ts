import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { findFreePort } from "../../../src/lib/http1/server/free-port.ts";
import { untilAnswering } from "../postgres/until-answering.ts";
import { findMariaDb } from "./find-mariadb.ts";

/** A MariaDB server for tests, in its own folder, with an empty database. */
export interface MariaDbServer {
  /** The URL, with a user whose password has characters that a URL must escape. */
  readonly url: string;
  stop(): Promise<void>;
}

const PASSWORD = "p@ss/w%rd";
/** Small files, and without waits for the disk. */
const SETTINGS = ["--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve"];

export async function startMariaDb(): Promise<MariaDbServer> {
  const { server, install } = findMariaDb()!;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-mariadb-"));
  // mariadbd refuses to run as root without this option.
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  const options = ["--no-defaults", ...user, `--datadir=${join(folder, "data")}`, ...SETTINGS];
  const rootAccess = ["--auth-root-authentication-method=normal", "--skip-test-db"];
  const installed = Bun.spawn([install, ...options, ...rootAccess], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  if ((await installed.exited) !== 0) throw new Error(`mariadb-install-db failed: ${await new Response(installed.stderr).text()}`);
  const port = findFreePort("127.0.0.1", 0);
  const listening = ["--skip-networking=0", "--bind-address=127.0.0.1", `--port=${port}`, `--socket=${join(folder, "s")}`];
  const child = Bun.spawn([server, ...options, ...listening, `--pid-file=${join(folder, "pid")}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", Bun.file(join(folder, "log"))],
  });
  const root = `mysql://root@127.0.0.1:${port}/mysql`;
  await untilAnswering(root);
  const admin = new SQL(root, { max: 1 });
  await admin.unsafe("create database one_api character set utf8mb4");
  await admin.unsafe(`create user 'one'@'127.0.0.1' identified by '${PASSWORD}'`);
  await admin.unsafe("grant all on one_api.* to 'one'@'127.0.0.1'");
  await admin.close();
  return {
    url: `mysql://one:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/one_api`,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
