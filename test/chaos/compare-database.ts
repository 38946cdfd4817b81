import type { LedgerRow } from "../crash/read-ledger.ts";
import { eventually } from "../support/eventually.ts";
import type { ChaosCluster } from "./chaos-cluster.ts";

interface PurseRow {
  readonly scope: "account" | "key";
  readonly id: string;
  readonly credit_nanos: number;
  readonly total_nanos: number;
  readonly leased_nanos: number;
  readonly leases_nanos: number;
}

const PURSES = `select scope, id, credit_nanos, total_nanos, leased_nanos,
  (select coalesce(sum(nanos), 0)::bigint from leases l where l.scope = p.scope and l.id = p.id) as leases_nanos from purses p`;
const LIVE = "select id from instances where state = 'live'";

/** Discrepancies between the entries and the tables, the auditor and the platform, while the gateways run. */
export async function aboutDatabase(cluster: ChaosCluster, entries: readonly LedgerRow[]): Promise<string[]> {
  const wrong: string[] = [];
  const running = cluster.gateways.flatMap(({ instanceIds }) => instanceIds);
  const live = (await cluster.rows<{ id: string }>(LIVE)).map(({ id }) => id);
  if (live.toSorted().join() !== running.toSorted().join()) wrong.push(`the processes ${live.join()} are live, and ${running.join()} run`);
  wrong.push(...(await aboutPurses(cluster, entries)));
  for (const { gateway } of cluster.gateways) {
    const report = await gateway.platform<{ checked: { entries: number }; discrepancies: unknown[] }>("GET", "/api/audit");
    if (report.checked.entries !== entries.length) wrong.push(`the auditor read ${report.checked.entries} of ${entries.length} entries`);
    wrong.push(...report.discrepancies.map((each) => `the auditor found ${JSON.stringify(each)}`));
  }
  return wrong;
}

async function aboutPurses(cluster: ChaosCluster, entries: readonly LedgerRow[]): Promise<string[]> {
  return (await cluster.rows<PurseRow>(PURSES)).flatMap((purse) => {
    const { scope, id, credit_nanos: credit, total_nanos: total, leased_nanos: leased, leases_nanos: leases } = purse;
    const own = entries.filter((entry) => (scope === "account" ? entry.account_id : entry.key_id) === id);
    const charged = sumOf(own, "settle");
    const granted = sumOf(own, "grant") + sumOf(own, "adjustment");
    const wrong: string[] = [];
    if (leased !== leases) wrong.push(`${scope} ${id} has leased ${leased}, and its leases are ${leases}`);
    if (total !== charged) wrong.push(`${scope} ${id} has spent ${total}, and its entries come to ${charged}`);
    if (scope === "account" && credit !== granted - charged)
      wrong.push(`${id} has ${credit}, and its entries come to ${granted - charged}`);
    return wrong;
  });
}

/** Stops all gateways gracefully: they must return their leases and leave nothing in their folders. */
export async function aboutEnd(cluster: ChaosCluster): Promise<string[]> {
  const wrong: string[] = [];
  const entries = await cluster.entries();
  for (const [at, { gateway }] of cluster.gateways.entries()) {
    gateway.signal("SIGTERM");
    const code = await gateway.exited;
    if (code !== 0) wrong.push(`the gateway ${at} ended with ${code}: ${gateway.output.slice(-2000)}`);
  }
  for (const { instanceIds } of cluster.gateways) wrong.push(...instanceIds.map((id) => `the folder of ${id} is left after the end`));
  const leases = await cluster.rows<object>("select * from leases where nanos > 0");
  wrong.push(...leases.map((lease) => `a lease is left: ${JSON.stringify(lease)}`));
  const live = await cluster.rows<{ id: string }>(LIVE);
  wrong.push(...live.map(({ id }) => `the process ${id} is live after its end`));
  const { length } = await eventually(
    () => cluster.entries(),
    () => true,
  );
  if (length !== entries.length) wrong.push(`${length - entries.length} entries were added by the end of the gateways`);
  return wrong;
}

function sumOf(entries: readonly LedgerRow[], kind: LedgerRow["kind"]): number {
  return entries.filter((entry) => entry.kind === kind).reduce((sum, entry) => sum + entry.amount_nanos, 0);
}
