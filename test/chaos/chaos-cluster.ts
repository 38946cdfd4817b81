import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Secret } from "../../src/lib/secret/secret.ts";
import { NO_CAPS } from "../../src/money/limits.ts";
import { PostgresAuthority } from "../../src/stores/ledger/postgres/postgres-authority.ts";
import { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { KillableGateway } from "../crash/killable-gateway.ts";
import type { LedgerRow } from "../crash/read-ledger.ts";
import { SHARED_SECRETS } from "../support/gateway/start-cluster.ts";
import { PartitionProxy } from "../support/postgres/partition-proxy.ts";
import type { PostgresServer } from "../support/postgres/start-postgres.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/** Shorter than most faults, so that gateways reach the admission deadline. */
export const ADMIT_SECONDS = 3;
/** The gateways of these tests have their own operator token. */
const { TOLLGATE_OPERATOR_TOKEN: _, ...SECRETS } = SHARED_SECRETS;
/** The file in the folder from which a gateway is started. */
const CLOCK_FILE = "clock";
const CLOCK = { BUN_OPTIONS: `--preload=${join(import.meta.dir, "shifted-clock.ts")}`, CLOCK_SHIFT_FILE: CLOCK_FILE };

/** A gateway with its own network connection to the database. */
export class ChaosGateway {
  readonly gateway: KillableGateway;
  readonly network: PartitionProxy;

  constructor(gateway: KillableGateway, network: PartitionProxy) {
    this.gateway = gateway;
    this.network = network;
    this.shiftClock(0);
  }

  /** Sets the clock of the gateway's machine this many milliseconds ahead of the correct time, or behind it. */
  shiftClock(ms: number): void {
    writeFileSync(join(this.gateway.folder, CLOCK_FILE), String(ms));
  }

  /** The IDs of the processes that have a journal in the folder: the current process and earlier ones. */
  get instanceIds(): readonly string[] {
    const folder = join(this.gateway.folder, "data", "processes");
    return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
  }

  /** Starts the gateway. If it exits because the database is unavailable, it is started again, as a supervisor would do. */
  async start(): Promise<void> {
    for (const deadline = performance.now() + WAIT_LIMIT_MS; ;) {
      try {
        await this.gateway.start();
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  /** The exit code, if the gateway has exited by itself. */
  async exitCode(): Promise<number | undefined> {
    return Promise.race([this.gateway.exited, Bun.sleep(0).then(() => undefined)]);
  }
}

/** Gateways on one PostgreSQL server, each as on its own machine. */
export class ChaosCluster {
  readonly postgres: PostgresServer;
  readonly gateways: readonly ChaosGateway[];
  readonly #url: Secret;

  private constructor(postgres: PostgresServer, url: Secret, gateways: readonly ChaosGateway[]) {
    this.postgres = postgres;
    this.#url = url;
    this.gateways = gateways;
  }

  static async create(postgres: PostgresServer, count: number, yaml: string): Promise<ChaosCluster> {
    const url = await postgres.createMigratedDatabase();
    const gateways: ChaosGateway[] = [];
    for (let at = 0; at < count; at++) {
      const network = await PartitionProxy.start(postgres.port);
      const address = new URL(url.reveal());
      address.port = String(network.port);
      const env = { ...SECRETS, ...CLOCK, TOLLGATE_DATABASE_URL: address.href, TOLLGATE_ADMIT_SECONDS: String(ADMIT_SECONDS) };
      gateways.push(new ChaosGateway(await KillableGateway.create({ yaml, env }), network));
    }
    return new ChaosCluster(postgres, url, gateways);
  }

  /** Starts the gateways, one after another. */
  async start(): Promise<void> {
    for (const each of this.gateways) await each.start();
  }

  get baseUrls(): readonly string[] {
    return this.gateways.map(({ gateway }) => gateway.baseUrl);
  }

  /** Rows of the database, read directly, not through the gateways. `int8` values are numbers. */
  async rows<Row>(text: string): Promise<Row[]> {
    const sql = new SQL(this.#url.reveal(), { max: 1, bigint: true });
    try {
      const rows = await sql.unsafe<Record<string, unknown>[]>(text);
      return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumber(value)])) as Row);
    } finally {
      await sql.close({ timeout: 1 });
    }
  }

  entries(): Promise<LedgerRow[]> {
    return this.rows<LedgerRow>("select * from entries order by id");
  }

  /** Writes off processes that have ended, as an operator does with processes that have been lost for long. */
  async writeOff(instanceIds: readonly string[]): Promise<void> {
    const pool = new PostgresPool({ url: this.#url, maxConnections: 2, timeoutMs: 30_000 });
    try {
      await pool.query("update instances set seen_at = seen_at - interval '1 hour' where id = any($1::text[])", [instanceIds]);
      const authority = new PostgresAuthority({ pool, capsOf: () => NO_CAPS });
      for (const instanceId of instanceIds) await authority.end(instanceId, "written_off");
    } finally {
      await pool.close();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map(({ gateway }) => gateway.remove()));
    await Promise.all(this.gateways.map(({ network }) => network.stop()));
    await this.postgres.stop();
  }
}

function toNumber(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
