import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { findFreePort } from "../../../src/lib/http1/server/free-port.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";
import { eventually } from "../eventually.ts";
import { findPostgres } from "./find-postgres.ts";

const SETTINGS = ["max_connections=200", "listen_addresses=127.0.0.1"];
/** Without waits for the disk: tests kill processes, not the machine. */
const FOR_TESTS = ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "autovacuum=off"];

/** A PostgreSQL server of a test, in a folder of its own. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #user: string | undefined;
  readonly #settings: readonly string[];
  readonly #admin: SQL;
  #process: Bun.Subprocess;
  #databases = 0;

  private constructor(folder: string, port: number, user: string | undefined, settings: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#user = user;
    this.#settings = [...SETTINGS, ...settings];
    this.#process = this.#spawn();
    this.#admin = new SQL(this.#addressOf("postgres"), { max: 1 });
  }

  static async start(settings = FOR_TESTS): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
    const user = unprivilegedUser();
    if (user) chownSync(folder, idOf(user), -1);
    const data = join(folder, "data");
    await run(user, folder, "initdb", "--no-sync", "--auth=trust", "--username=tollgate", "--encoding=UTF8", "--locale=C", "-D", data);
    const server = new PostgresServer(folder, findFreePort("127.0.0.1", 0), user, settings);
    await server.untilReady();
    return server;
  }

  /** The address of a new, empty database. It orders texts as installations do, by a language and not by bytes. */
  async createDatabase(): Promise<Secret> {
    const name = `test_${++this.#databases}`;
    await this.#admin.unsafe(`create database ${name} template template0 locale_provider icu icu_locale 'en-US'`);
    return new Secret(this.#addressOf(name));
  }

  get pid(): number {
    return this.#process.pid;
  }

  async kill(): Promise<void> {
    // The postmaster's children end when they notice; a start meanwhile is refused.
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }

  async restart(): Promise<void> {
    await eventually(
      async () => {
        this.#process = this.#spawn();
        return Promise.race([this.#process.exited.then(() => false), this.untilReady().then(() => true)]);
      },
      (isReady) => isReady,
    );
  }

  async untilReady(): Promise<void> {
    await eventually(
      async () => {
        const probe = new SQL(this.#addressOf("postgres"), { max: 1, connectionTimeout: 5 });
        try {
          await probe`select 1`;
          return true;
        } catch {
          return false;
        } finally {
          await probe.close({ timeout: 0 }).catch(() => undefined);
        }
      },
      (isReady) => isReady,
      { everyMs: 50 },
    );
  }

  async stop(): Promise<void> {
    await this.#admin.close({ timeout: 0 }).catch(() => undefined);
    this.#process.kill("SIGQUIT");
    await this.#process.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #addressOf(database: string): string {
    return `postgres://tollgate@127.0.0.1:${this.port}/${database}`;
  }

  #spawn(): Bun.Subprocess {
    const settings = [...this.#settings, `port=${this.port}`, `unix_socket_directories=${this.#folder}`].flatMap((each) => ["-c", each]);
    const command = asUser(this.#user, join(findPostgres()!, "postgres"), "-D", join(this.#folder, "data"), ...settings);
    return Bun.spawn(command, { cwd: this.#folder, stdio: ["ignore", "ignore", Bun.file(join(this.#folder, "log"))] });
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): string | undefined {
  return process.getuid?.() === 0 ? ["postgres", "nobody"].find((user) => idOf(user) > 0) : undefined;
}

function idOf(user: string): number {
  const passwd = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  return Number(new RegExp(`^${user}:[^:]*:(\\d+):`, "m").exec(passwd)?.[1] ?? -1);
}

function asUser(user: string | undefined, ...command: string[]): string[] {
  return user ? ["setpriv", `--reuid=${user}`, "--clear-groups", "--", ...command] : command;
}

async function run(user: string | undefined, cwd: string, program: string, ...options: string[]): Promise<void> {
  const child = Bun.spawn(asUser(user, join(findPostgres()!, program), ...options), { cwd, stdio: ["ignore", "ignore", "pipe"] });
  if ((await child.exited) !== 0) throw new Error(`${program} failed: ${await new Response(child.stderr).text()}`);
}
