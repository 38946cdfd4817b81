import { chownSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { findFreePort } from "../../../src/lib/http1/server/free-port.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";
import { openPostgres } from "../../../src/stores/postgres/open-postgres.ts";
import { eventually } from "../eventually.ts";
import { createDataDirectory } from "./create-data-directory.ts";
import { findPostgres } from "./find-postgres.ts";
import { runProgram } from "./run-program.ts";
import { untilAnswering } from "./until-answering.ts";
import { asUser, idOf, unprivilegedUser } from "./unprivileged-user.ts";

/** Shared memory is in the server's folder, so that a killed server leaves nothing elsewhere. */
const SETTINGS = ["max_connections=200", "listen_addresses=127.0.0.1", "dynamic_shared_memory_type=mmap"];
/** Without waits for the disk, because tests kill processes, not the machine. Without JIT compilation of queries for each connection. */
const FOR_TESTS = ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "autovacuum=off", "jit=off"];

/** Sorts text like real installations, by the rules of a language instead of by bytes. */
const EMPTY = "template0 locale_provider icu icu_locale 'en-US'";
const MIGRATED = "migrated";

/** A PostgreSQL server for tests, in its own folder. */
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
    this.#settings = settings;
    this.#process = this.#spawn();
    this.#admin = new SQL(this.#addressOf("postgres"), { max: 1 });
  }

  static async start(settings = FOR_TESTS): Promise<PostgresServer> {
    const user = unprivilegedUser();
    const folder = createFolder(user);
    const run = (): Promise<PostgresServer> => PostgresServer.#run(folder, user, settings);
    await createDataDirectory(user, join(folder, "data"), async () => (await run()).#addMigrated());
    return run();
  }

  /** Runs the server of a folder. If another program has taken the port meanwhile, the server ends, and is started on another port. */
  static async #run(folder: string, user: string | undefined, settings: readonly string[]): Promise<PostgresServer> {
    const server = await eventually(
      async () => {
        const started = new PostgresServer(folder, findFreePort("127.0.0.1", 0), user, settings);
        return (await started.#isServing()) ? started : undefined;
      },
      (started) => started !== undefined,
    );
    return server!;
  }

  /** Starts a synchronous standby of this server. From then on, a commit waits until the standby has received it. */
  async startStandby(): Promise<PostgresServer> {
    const folder = createFolder(this.#user);
    await this.#copyTo(join(folder, "data"), "--write-recovery-conf", "--dbname=application_name=standby");
    const standby = await PostgresServer.#run(folder, this.#user, this.#settings);
    await this.#admin.unsafe("alter system set synchronous_standby_names = 'standby'");
    await this.#admin.unsafe("select pg_reload_conf()");
    await eventually(
      () => this.#admin.unsafe<{ sync_state: string }[]>("select sync_state from pg_stat_replication"),
      ([replication]) => replication?.sync_state === "sync",
    );
    return standby;
  }

  /** Promotes a standby to the primary server. */
  async promote(): Promise<void> {
    await runProgram(this.#user, this.#folder, "pg_ctl", "promote", "-D", this.#data);
  }

  /** The URL of a new, empty database. */
  createDatabase(): Promise<Secret> {
    return this.#createDatabase(EMPTY);
  }

  /** The URL of a new database with all tables. Copying it takes a tenth of the CPU time of the migrations. */
  createMigratedDatabase(): Promise<Secret> {
    return this.#createDatabase(MIGRATED);
  }

  get pid(): number {
    return this.#process.pid;
  }

  async kill(): Promise<void> {
    // Without the postmaster, its children end only when they notice. Until then they respond, and a new start is rejected.
    this.#process.kill("SIGSTOP");
    for (const pid of childrenOf(this.#process.pid)) process.kill(pid, "SIGKILL");
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }

  /** Stops all of its processes (SIGSTOP): its connections stay open, but nothing is answered until `thaw`. */
  freeze(): void {
    this.#process.kill("SIGSTOP");
    for (const pid of childrenOf(this.#process.pid)) process.kill(pid, "SIGSTOP");
  }

  thaw(): void {
    for (const pid of childrenOf(this.#process.pid)) process.kill(pid, "SIGCONT");
    this.#process.kill("SIGCONT");
  }

  /** Takes a backup of the whole server while it runs, which replaces the previous one. */
  async backUp(): Promise<void> {
    rmSync(this.#backup, { recursive: true, force: true });
    await this.#copyTo(this.#backup);
  }

  /** Restores the last backup: all later data is lost. */
  async restore(): Promise<void> {
    this.#process.kill("SIGQUIT");
    await this.#process.exited;
    rmSync(this.#data, { recursive: true });
    renameSync(this.#backup, this.#data);
    await this.restart();
  }

  async restart(): Promise<void> {
    await eventually(
      async () => {
        this.#process = this.#spawn();
        return this.#isServing();
      },
      (isReady) => isReady,
    );
  }

  /** Waits until the server accepts connections; false if it has ended. */
  #isServing(): Promise<boolean> {
    const { exited } = this.#process;
    return Promise.race([exited.then(() => false), this.untilReady().then(() => this.#process.exitCode === null)]);
  }

  untilReady(): Promise<void> {
    return untilAnswering(this.#addressOf("postgres"));
  }

  async stop(): Promise<void> {
    await this.#admin.close({ timeout: 0 }).catch(() => undefined);
    this.#process.kill("SIGQUIT");
    await this.#process.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  get #backup(): string {
    return join(this.#folder, "backup");
  }

  /** Copies the whole server while it runs. */
  #copyTo(folder: string, ...options: string[]): Promise<void> {
    const from = ["--host=127.0.0.1", `--port=${this.port}`, "--username=tollgate"];
    const fast = ["--checkpoint=fast", "--wal-method=stream", "--no-sync"];
    return runProgram(this.#user, this.#folder, "pg_basebackup", ...from, ...fast, ...options, "-D", folder);
  }

  /** Adds the database that `createMigratedDatabase` copies, and shuts the server down, so that its data directory can be copied. */
  async #addMigrated(): Promise<void> {
    const options = { maxConnections: 4, timeoutMs: 30_000, monotonicMs: () => performance.now(), report: () => undefined };
    try {
      const { database } = await openPostgres({ url: await this.#createDatabase(EMPTY, MIGRATED), ...options });
      await database.destroy();
    } finally {
      await this.#admin.close();
      this.#process.kill("SIGINT");
      await this.#process.exited;
    }
  }

  /** Copies files, which takes a tenth of the time of the default strategy, which writes each page to the WAL. */
  async #createDatabase(template: string, name = `test_${++this.#databases}`): Promise<Secret> {
    await this.#admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
    return new Secret(this.#addressOf(name));
  }

  #addressOf(database: string): string {
    return `postgres://tollgate@127.0.0.1:${this.port}/${database}`;
  }

  #spawn(): Bun.Subprocess {
    const settings = [...SETTINGS, ...this.#settings, `port=${this.port}`, `unix_socket_directories=${this.#folder}`].flatMap((each) => [
      "-c",
      each,
    ]);
    const command = asUser(this.#user, join(findPostgres()!, "postgres"), "-D", this.#data, ...settings);
    return Bun.spawn(command, { cwd: this.#folder, stdio: ["ignore", "ignore", Bun.file(join(this.#folder, "log"))] });
  }
}

function createFolder(user: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
  if (user) chownSync(folder, idOf(user), -1);
  return folder;
}

/** The child processes of a process. PostgreSQL's processes are not one process group. */
function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    // The name, in parentheses, may have spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}
