/**
 * Measures for how long changes of the catalog block the event loop, both in the process that makes the change and in a gateway process
 * that receives it. The catalog has a wildcard model that expands to 2,000 discovered models, 200 declared models, and 20 price lists with
 * prices for all of them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownChange } from "../src/access/change.ts";
import { Secret } from "../src/lib/secret/secret.ts";
import type { DeclaredModel } from "../src/models/declared-model.ts";
import { remoteAt } from "../src/models/declared-upstream.ts";
import { makePrice, type Price } from "../src/money/price.ts";
import { SqlCatalogStore } from "../src/stores/catalog/sql-catalog-store.ts";
import { migrate } from "../src/stores/migrations/migrate.ts";
import { callableOf, encodeCatalog, ReplicaCatalog } from "../src/stores/replication/replica-catalog.ts";
import { openSqlite } from "../src/stores/sqlite/sqlite-database.ts";
import { Vault } from "../src/stores/vault.ts";

const DISCOVERED = Number(process.argv[2] ?? 2_000);
const LISTS = Number(process.argv[3] ?? 20);
const DECLARED = 200;
const ROUNDS = 10;
const BASE_URL = "https://u.example/v1";
const CHANGE = ownChange("model.measure", { kind: "model", id: "m" }, null, 5_000);

function publishedPrices(_baseUrl: string, upstreamModel: string): readonly Price[] {
  const picos = BigInt(1_000_000 + upstreamModel.length * 1000 + Number(/\d+$/.exec(upstreamModel)?.[0] ?? 0));
  const rates = { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos * 2n, reasoningPicos: picos * 2n };
  return [makePrice({ effectiveAtMs: 0, source: "default", rates, tiers: [] })];
}

function model(id: string, outputPrice: number): DeclaredModel {
  return { id, routes: [{ upstream: "u", model: id }], price: { input_per_million: 1, output_per_million: outputPrice } };
}

const put = (declared: DeclaredModel, isNew: boolean): Promise<unknown> =>
  store.updateModel(declared.id, () => ({
    record: declared,
    change: CHANGE,
    announcement: isNew ? { model: declared.id, state: { name: "available" }, atMs: 0, actor: "a", actorName: "a" } : undefined,
  }));

const discover = (atMs: number, count = DISCOVERED): Promise<void> => {
  const models = Array.from({ length: count }, (_, at) => ({
    name: `model-${at}`,
    upstreamModel: `model-${at}`,
    ownedBy: "u",
    createdSeconds: 1,
  }));
  return store.recordDiscovered({ upstream: "u", baseUrl: BASE_URL, models, foundAtMs: atMs });
};

/** The CPU time of the main thread. Unless another process takes the CPU, this is how long the event loop is blocked. */
async function cpuOf(work: () => unknown): Promise<number> {
  const from = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1000;
}

async function report(name: string, work: (round: number) => unknown): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await cpuOf(() => work(round)));
  const sorted = times.toSorted((one, other) => one - other);
  process.stdout.write(`${name.padEnd(52)} median ${sorted[ROUNDS / 2]!.toFixed(1)} ms, longest ${sorted.at(-1)!.toFixed(1)} ms\n`);
}

const folder = mkdtempSync(join(tmpdir(), "tollgate-catalog-"));
const database = openSqlite(join(folder, "tollgate.db"));
await migrate(database);
const store = await SqlCatalogStore.open({
  database,
  vault: new Vault(new Secret("a secret of this measurement")),
  defaultPrices: publishedPrices,
});
await store.updateUpstream("u", () => ({
  record: remoteAt("u", undefined, { baseUrl: BASE_URL, allowPrivate: false }, []),
  change: CHANGE,
}));
for (let at = 0; at < DECLARED; at++) await put(model(`declared-${at}`, 2), true);
for (let at = 0; at < LISTS; at++)
  await store.updatePriceList(`list-${at}`, () => ({ record: { id: `list-${at}`, name: "a list", percent: 50 + at }, change: CHANGE }));
await put({ id: "u/*", routes: [{ upstream: "u", model: "*" }] }, true);
process.stdout.write(`the first list of ${DISCOVERED} models: ${(await cpuOf(() => discover(1))).toFixed(1)} ms\n`);

await report("change one model", (round) => put(model("declared-0", 3 + round), false));
await report("list the same models again, as every hour", (round) => discover(2 + round));
await report("list one model more", (round) => discover(100 + round, DISCOVERED + 1 + round));
await report("change one price list", (round) =>
  store.updatePriceList("list-0", () => ({ record: { id: "list-0", name: "a list", percent: 100 + round }, change: CHANGE })),
);
await report("reload, as after a change by another process", () => store.reload("all", database));

const replica = new ReplicaCatalog();
const all = JSON.stringify(encodeCatalog(callableOf(store)));
await report(`encode all for a gateway process, ${(all.length / 1e6).toFixed(1)} MB`, () =>
  JSON.stringify(encodeCatalog(callableOf(store))),
);
replica.put(JSON.parse(all));
await report("receive all again, after a reconnect", () => replica.put(JSON.parse(all)));
const changes: string[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const before = callableOf(store);
  await put(model("declared-0", 30 + round), false);
  changes.push(JSON.stringify(encodeCatalog(callableOf(store), before)));
}
await report("encode the change of one model", () => JSON.stringify(encodeCatalog(callableOf(store), callableOf(store))));
await report(`receive it, ${(changes[0]!.length / 1e3).toFixed(0)} kB`, (round) => replica.put(JSON.parse(changes[round]!)));
await database.destroy();
rmSync(folder, { recursive: true });
