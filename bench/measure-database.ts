/**
 * Compares gateways on PostgreSQL with the embedded store: CPU time per request of the gateways and of the database, for one busy account
 * and for accounts with one request each. The systems alternate in random order, and a round counts only if every response in it was
 * correct.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../test/support/gateway/start-cluster.ts";
import { startGateway, type RunningGateway } from "../test/support/gateway/start-gateway.ts";
import { processCpuUs } from "./machine/cpu-clock.ts";
import { treeCpuUs } from "./machine/process-tree.ts";
import { shuffled } from "./protocol/shuffled.ts";
import { median } from "./protocol/statistics.ts";
import { mockConfig } from "./mock-config.ts";
import { run } from "./rounds.ts";

/** The numbers of gateways on PostgreSQL to compare. */
const GATEWAYS = (process.argv[2] ?? "1,2,4").split(",").map(Number);
const ROUNDS = 7;
/** Per gateway. */
const REQUESTS = 10_000;
const CONCURRENCY = 16;
/** Each round has new accounts, so that none of them has a lease. */
const NEW_ACCOUNTS = 2000;
const ROUNDS_WITH_NEW_ACCOUNTS = 5;
/** Longer than any delay of background writes. */
const BACKGROUND_DELAY_MS = 1000;
/** After a start or a load, remaining work may still run: the system is not idle yet. */
const UNTIL_IDLE_MS = 5000;
const IDLE_MS = 10_000;
/** PostgreSQL without any configuration: it waits for the disk. */
const DURABLE: string[] = [];

/** Gateways that share their state, and the process of their database, if they have one. */
interface System {
  readonly gateways: readonly RunningGateway[];
  readonly databasePid: number | undefined;
}

/** CPU microseconds. */
interface Cost {
  readonly gateways: number;
  readonly database: number;
}

/** `keys` is a key, or `@` and the name of a file with one key per line. */
interface Load {
  readonly keys: string;
  readonly requests: number;
}

const folder = mkdtempSync(join(tmpdir(), "tollgate-database-"));
const upstream = await run<{ url: string }>("ledger/upstream.ts");
const yaml = mockConfig(upstream.said.url);

function costOf({ gateways, databasePid }: System): Cost {
  const cpu = gateways.map(({ pid }) => processCpuUs(pid)!);
  return { gateways: cpu.reduce((sum, each) => sum + each, 0), database: databasePid === undefined ? 0 : treeCpuUs(databasePid) };
}

function difference(before: Cost, after: Cost, divisor: number): Cost {
  return { gateways: (after.gateways - before.gateways) / divisor, database: (after.database - before.database) / divisor };
}

/** Sends requests to all gateways of a system at once, and returns the cost per request. */
async function measure(system: System, { keys, requests }: Load): Promise<Cost & { perSecond: number }> {
  const before = costOf(system);
  const begun = performance.now();
  const callers = await Promise.all(
    system.gateways.map(({ baseUrl }) =>
      run<{ right: number }>("ledger/callers.ts", baseUrl.slice(0, -"/v1".length), keys, String(requests), String(CONCURRENCY)),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  for (const each of callers) await each.stop();
  await Bun.sleep(BACKGROUND_DELAY_MS);
  const wrong = callers.reduce((sum, { said }) => sum + requests - said.right, 0);
  if (wrong > 0) throw new Error(`${wrong} answers were wrong`);
  const done = requests * system.gateways.length;
  return { ...difference(before, costOf(system), done), perSecond: done / seconds };
}

/** CPU time per second without requests. */
async function measureIdle(system: System): Promise<Cost> {
  await Bun.sleep(UNTIL_IDLE_MS);
  const before = costOf(system);
  await Bun.sleep(IDLE_MS);
  return difference(before, costOf(system), IDLE_MS / 1000);
}

/** Creates accounts with credit and one key each, and returns the name of a file with the keys. */
async function createAccounts({ gateways: [first] }: System, name: string): Promise<string> {
  const keys: string[] = [];
  let next = 0;
  async function create(): Promise<void> {
    while (next < NEW_ACCOUNTS) {
      const id = `${name}-${next++}`;
      await first!.platform("POST", "/api/accounts", { id, name: id });
      await first!.platform("POST", `/api/accounts/${id}/grants`, { amount: "1", reference: id, reason: "benchmark" });
      keys.push((await first!.platform<{ key: string }>("POST", "/api/keys", { name: id, account: id, models: ["*"] })).key);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
  const file = join(folder, `${name}-${first!.pid}`);
  writeFileSync(file, keys.join("\n"));
  return `@${file}`;
}

type Results = Record<"embedded" | "cluster", (Cost & { perSecond: number })[]>;

function print(title: string, { embedded, cluster }: Results): void {
  const of = (from: Results["cluster"], value: (cost: Cost & { perSecond: number }) => number): number => median(from.map(value));
  const ratio = (value: (cost: Cost) => number): string => median(cluster.map((each, at) => value(each) / value(embedded[at]!))).toFixed(2);
  process.stdout.write(
    `${title}\n` +
      `  embedded store   ${of(embedded, (each) => each.gateways).toFixed(0)} µs, ${of(embedded, (each) => each.perSecond).toFixed(0)} requests a second\n` +
      `  PostgreSQL       ${of(cluster, (each) => each.gateways).toFixed(0)} µs, and ${of(cluster, (each) => each.database).toFixed(0)} µs in the database, ` +
      `${of(cluster, (each) => each.perSecond).toFixed(0)} requests a second\n` +
      `  ratio            ${ratio((each) => each.gateways)}, with the database ${ratio((each) => each.gateways + each.database)}\n`,
  );
}

async function compare(systems: Record<"embedded" | "cluster", System>, rounds: number, loadOf: LoadOf): Promise<Results> {
  const results: Results = { embedded: [], cluster: [] };
  for (let at = 0; at < rounds; at++) {
    for (const name of shuffled(["embedded", "cluster"] as const)) results[name].push(await measure(systems[name], loadOf(name, at)));
  }
  return results;
}

type LoadOf = (name: "embedded" | "cluster", round: number) => Load;

const embedded: System = { gateways: [await startGateway({ yaml })], databasePid: undefined };
const cluster = await startCluster(1, { yaml }, DURABLE);
const { gateways, postgres } = cluster;
const busy = { embedded: await embedded.gateways[0]!.makeKey(), cluster: await gateways[0]!.makeKey() };

process.stdout.write(`CPU per request, ${CONCURRENCY} at a time in each gateway\n`);
for (const count of GATEWAYS) {
  while (gateways.length < count) await cluster.add();
  const loadOf: LoadOf = (name) => ({ keys: busy[name].key, requests: REQUESTS });
  const systems = { embedded, cluster: { gateways, databasePid: postgres.pid } };
  await compare(systems, 1, loadOf);
  const idle = await measureIdle(systems.cluster);
  print(`One busy account, ${count} on PostgreSQL, ${ROUNDS} rounds of ${REQUESTS}`, await compare(systems, ROUNDS, loadOf));
  process.stdout.write(
    `  without requests ${(idle.gateways / 1000).toFixed(1)} ms of CPU a second, and ${(idle.database / 1000).toFixed(1)} ms in the database\n`,
  );
}
const one = { embedded, cluster: { gateways: gateways.slice(0, 1), databasePid: postgres.pid } };
const files = { embedded: [] as string[], cluster: [] as string[] };
for (let round = 0; round < ROUNDS_WITH_NEW_ACCOUNTS; round++) {
  for (const name of ["embedded", "cluster"] as const) files[name].push(await createAccounts(one[name], `round-${round}`));
}
const once: LoadOf = (name, round) => ({ keys: files[name][round]!, requests: NEW_ACCOUNTS });
print(`${NEW_ACCOUNTS * ROUNDS_WITH_NEW_ACCOUNTS} accounts with one request each`, await compare(one, ROUNDS_WITH_NEW_ACCOUNTS, once));

await embedded.gateways[0]!.stop();
await cluster.stop();
await upstream.stop();
rmSync(folder, { recursive: true });
