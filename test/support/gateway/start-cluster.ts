import type { Secret } from "../../../src/lib/secret/secret.ts";
import { PostgresServer } from "../postgres/start-postgres.ts";
import { startGateway, type RunningGateway, type StartOptions } from "./start-gateway.ts";

/** Several gateways on one PostgreSQL database, each with its own folder and ports, as on separate machines. */
export interface Cluster {
  readonly postgres: PostgresServer;
  readonly url: Secret;
  readonly gateways: readonly RunningGateway[];
  /** Starts another gateway, or starts one again in the folder of a stopped gateway. */
  add(options?: StartOptions): Promise<RunningGateway>;
  stop(): Promise<void>;
}

/** The secrets that all gateways of a cluster share. */
export const SHARED_SECRETS = {
  TOLLGATE_SECRET: "0123456789abcdef0123456789abcdef-vault",
  TOLLGATE_HASH_SECRET: "0123456789abcdef0123456789abcdef-hash",
  TOLLGATE_OPERATOR_TOKEN: "0123456789abcdef-operator",
};

/** `settings` are settings of the database server, such as `fsync=off`. */
export async function startCluster(count: number, options: StartOptions = {}, settings?: string[]): Promise<Cluster> {
  const postgres = await PostgresServer.start(settings);
  const url = await postgres.createMigratedDatabase();
  const gateways: RunningGateway[] = [];
  async function add(more: StartOptions = {}): Promise<RunningGateway> {
    const env = { ...SHARED_SECRETS, TOLLGATE_DATABASE_URL: url.reveal(), ...options.env, ...more.env };
    const gateway = await startGateway({ ...options, ...more, env });
    gateways.push(gateway);
    return gateway;
  }
  async function stop(): Promise<void> {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await postgres.stop();
  }
  try {
    for (let started = 0; started < count; started++) await add();
  } catch (error) {
    await stop();
    throw error;
  }
  return { postgres, url, gateways, add, stop };
}
