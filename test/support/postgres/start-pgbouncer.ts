import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../../src/lib/http1/server/free-port.ts";
import type { Secret } from "../../../src/lib/secret/secret.ts";
import { findPgBouncer } from "./find-pgbouncer.ts";
import { untilAnswering } from "./until-answering.ts";
import { asUser, idOf, unprivilegedUser } from "./unprivileged-user.ts";

export interface PgBouncerOptions {
  /** The URL of the database behind PgBouncer. */
  readonly target: Secret;
  readonly mode: "session" | "transaction";
  /** The maximum number of connections to the database. */
  readonly poolSize: number;
}

/** A PgBouncer for tests. */
export class PgBouncer {
  /** The URL of the database through PgBouncer, as the documents recommend it. */
  readonly url: string;
  readonly #folder: string;
  readonly #process: Bun.Subprocess;

  private constructor(url: string, folder: string, process: Bun.Subprocess) {
    this.url = url;
    this.#folder = folder;
    this.#process = process;
  }

  static async start({ target, mode, poolSize }: PgBouncerOptions): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-pgbouncer-"));
    const user = unprivilegedUser();
    if (user) chownSync(folder, idOf(user), -1);
    const url = new URL(target.reveal());
    const database = `* = host=127.0.0.1 port=${url.port}`;
    url.port = String(findFreePort("127.0.0.1", 0));
    const users = join(folder, "users.txt");
    const settings = [
      "listen_addr=127.0.0.1",
      `listen_port=${url.port}`,
      "unix_socket_dir=",
      "auth_type=trust",
      `auth_file=${users}`,
      `pool_mode=${mode}`,
      `default_pool_size=${poolSize}`,
    ];
    writeFileSync(users, `"${url.username}" ""\n`);
    const config = join(folder, "pgbouncer.ini");
    writeFileSync(config, ["[databases]", database, "[pgbouncer]", ...settings, ""].join("\n"));
    const command = asUser(user, findPgBouncer()!, config);
    const child = Bun.spawn(command, { cwd: folder, stdio: ["ignore", "ignore", Bun.file(join(folder, "log"))] });
    if (mode === "transaction") url.searchParams.set("prepare", "false");
    await untilAnswering(url.href);
    return new PgBouncer(url.href, folder, child);
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGQUIT");
    await this.#process.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
