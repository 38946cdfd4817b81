import type { Direction } from "../support/postgres/partition-proxy.ts";
import type { ChaosCluster, ChaosGateway } from "./chaos-cluster.ts";

/**
 * - `database_killed`: kill -9 of PostgreSQL, and a restart;
 * - `database_frozen`: PostgreSQL answers nothing for 5 seconds, longer than gateways admit requests without it;
 * - `database_restored`: PostgreSQL is restored from a backup, as by a failover that loses the last transactions;
 * - `gateway_killed`: kill -9 of a gateway, and a restart in its folder;
 * - `connections_cut`: all connections of a gateway to PostgreSQL are reset;
 * - `cut_off`, `cut_off_to_database`, `cut_off_to_gateway`: a network partition between a gateway and PostgreSQL, in both directions or in one;
 * - `cut_off_and_killed`: a gateway is killed during a partition, and started again after it;
 * - `written_off`: the same, but meanwhile an operator writes it off;
 * - `restored_and_killed`: PostgreSQL is restored from a backup, and a gateway that has made charges since is killed before it can ship them again;
 * - `clock_shifted`: the clock of a gateway's machine is set an hour ahead or back, and right again; now and then the gateway is killed meanwhile.
 */
export const FAULTS = [
  "database_killed",
  "database_frozen",
  "gateway_killed",
  "connections_cut",
  "cut_off",
  "cut_off_to_database",
  "cut_off_to_gateway",
  "cut_off_and_killed",
  "written_off",
  "clock_shifted",
  "database_restored",
  "restored_and_killed",
] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface FaultContext {
  readonly cluster: ChaosCluster;
  /** The affected gateway, if the fault affects only one. */
  readonly target: ChaosGateway;
  readonly random: () => number;
  /** The maximum duration of faults that have no fixed duration. */
  readonly maxMs: number;
}

/** Causes the fault and ends it: afterwards, everything runs and is connected. */
type Fault = (context: FaultContext) => Promise<void>;

const FROZEN_MS = 5000;
const AWAY_MS = 1500;
const HOUR_MS = 3_600_000;
const BOTH: readonly Direction[] = ["to_server", "to_client"];

export const FAULT: Readonly<Record<FaultKind, Fault>> = {
  async database_killed({ cluster, random }) {
    await cluster.postgres.kill();
    await Bun.sleep(random() * AWAY_MS);
    await cluster.postgres.restart();
  },
  async database_frozen({ cluster }) {
    cluster.postgres.freeze();
    await Bun.sleep(FROZEN_MS);
    cluster.postgres.thaw();
  },
  async database_restored({ cluster, random, maxMs }) {
    await cluster.postgres.backUp();
    await Bun.sleep(random() * maxMs);
    await cluster.postgres.restore();
  },
  async gateway_killed({ target, random }) {
    await target.gateway.kill();
    await Bun.sleep(random() * AWAY_MS);
    await target.start();
  },
  async connections_cut({ target }) {
    target.network.cut();
  },
  cut_off: (context) => cutOff(context, BOTH),
  cut_off_to_database: (context) => cutOff(context, ["to_server"]),
  cut_off_to_gateway: (context) => cutOff(context, ["to_client"]),
  async cut_off_and_killed({ target, random, maxMs }) {
    target.network.block(...oneOrBoth(random));
    await Bun.sleep(random() * maxMs);
    await target.gateway.kill();
    await Bun.sleep(random() * AWAY_MS);
    target.network.heal("is_reset");
    await target.start();
  },
  async written_off({ cluster, target, random, maxMs }) {
    target.network.block(...oneOrBoth(random));
    await Bun.sleep(random() * maxMs);
    await target.gateway.kill();
    target.network.heal("is_reset");
    await cluster.writeOff(target.instanceIds);
    // Meanwhile the other gateways have its credit.
    await Bun.sleep(random() * AWAY_MS);
    await target.start();
  },
  async restored_and_killed({ cluster, target, random, maxMs }) {
    await cluster.postgres.backUp();
    await Bun.sleep(random() * maxMs);
    await target.gateway.kill();
    await cluster.postgres.restore();
    // Meanwhile the other gateways ship their charges again.
    await Bun.sleep(random() * AWAY_MS);
    await target.start();
  },
  async clock_shifted({ target, random, maxMs }) {
    target.shiftClock(random() < 0.5 ? HOUR_MS : -HOUR_MS);
    await Bun.sleep((random() * maxMs) / 2);
    if (random() < 0.5) {
      await target.gateway.kill();
      await target.start();
    }
    await Bun.sleep((random() * maxMs) / 2);
    target.shiftClock(0);
  },
};

async function cutOff({ target, random, maxMs }: FaultContext, directions: readonly Direction[]): Promise<void> {
  target.network.block(...directions);
  await Bun.sleep(random() * maxMs);
  target.network.heal(random() < 0.5 ? "arrives" : "is_reset");
}

function oneOrBoth(random: () => number): readonly Direction[] {
  const choices: readonly (readonly Direction[])[] = [BOTH, ["to_server"], ["to_client"]];
  return choices[Math.floor(random() * choices.length)]!;
}
