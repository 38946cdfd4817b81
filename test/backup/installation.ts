import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { filesIn } from "../../src/stores/integrity/folder-files.ts";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { readLedger, type LedgerRow } from "../crash/read-ledger.ts";
import { killAll, removeProcesses, startServing } from "../processes/killed-processes.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { SHARED_SECRETS } from "../support/gateway/start-cluster.ts";
import { PostgresServer } from "../support/postgres/start-postgres.ts";

/** The gateways of these tests have their own operator token. */
const { TOLLGATE_OPERATOR_TOKEN: _, ...SECRETS } = SHARED_SECRETS;

/** Gateways whose data is backed up, destroyed and restored. */
export interface Installation {
  readonly gateways: readonly KillableGateway[];
  /** Starts the gateways, and resolves when all of them serve requests. */
  start(): Promise<void>;
  /** Runs a command line with the environment of the first gateway. */
  run(...args: readonly string[]): Promise<void>;
  /** Stops all gateways gracefully. */
  end(): Promise<void>;
  /** Kills all processes with kill -9, and destroys all data. */
  destroy(): Promise<void>;
  /** The ledger entries, read directly from storage. */
  entries(): Promise<LedgerRow[]>;
  remove(): Promise<void>;
}

/** A data folder with one process, or with an owner process and its gateway processes. */
export async function createFolderInstallation(yaml: string, processes: number): Promise<Installation> {
  const gateway = await KillableGateway.create({ yaml });
  const data = join(gateway.folder, "data");
  return {
    gateways: [gateway],
    async start() {
      if (processes > 1) await startServing(gateway, processes);
      else await gateway.start();
    },
    run: (...args) => runCommand(gateway, {}, args),
    end: () => endAll([gateway]),
    async destroy() {
      await killAll(gateway);
      rmSync(data, { recursive: true });
    },
    entries: async () => readLedger(filesIn(data).database),
    remove: () => removeProcesses(gateway),
  };
}

/** Two gateways on a PostgreSQL database, each with its own data folder. */
export async function createDatabaseInstallation(yaml: string): Promise<Installation> {
  const postgres = await PostgresServer.start();
  const gateways = [await KillableGateway.create({ yaml, env: SECRETS }), await KillableGateway.create({ yaml, env: SECRETS })];
  let url = await postgres.createMigratedDatabase();
  const env = (): Record<string, string> => ({ TOLLGATE_DATABASE_URL: url.reveal() });
  return {
    gateways,
    async start() {
      for (const gateway of gateways) await gateway.start(env());
    },
    run: (...args) => runCommand(gateways[0]!, { ...SECRETS, ...env() }, args),
    end: () => endAll(gateways),
    async destroy() {
      for (const gateway of gateways) {
        await gateway.kill();
        rmSync(join(gateway.folder, "data"), { recursive: true });
      }
      url = await postgres.createDatabase();
    },
    async entries() {
      const sql = new SQL(url.reveal(), { max: 1, bigint: true });
      try {
        const rows = await sql.unsafe<Record<string, unknown>[]>("select * from entries order by id");
        return rows.map((row) => Object.fromEntries(Object.entries(row).map(toPlain)) as unknown as LedgerRow);
      } finally {
        await sql.close({ timeout: 1 });
      }
    },
    async remove() {
      for (const gateway of gateways) await gateway.remove();
      await postgres.stop();
    },
  };
}

async function endAll(gateways: readonly KillableGateway[]): Promise<void> {
  for (const gateway of gateways) {
    gateway.signal("SIGTERM");
    await gateway.exited;
  }
}

/** A folder outside of every installation. */
export function makeBackupFolder(): string {
  return mkdtempSync(join(tmpdir(), "tollgate-backups-"));
}

async function runCommand(gateway: KillableGateway, env: Record<string, string>, args: readonly string[]): Promise<void> {
  const child = Bun.spawn([launcher(), ...args], {
    cwd: gateway.folder,
    env: { PATH: process.env["PATH"]!, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`tollgate ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
}

function toPlain([name, value]: [string, unknown]): [string, unknown] {
  return [name, typeof value === "bigint" ? Number(value) : value];
}
