import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { eventually } from "../../test/support/eventually.ts";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { readDeclared } from "../config.ts";
import { Declarations } from "./declarations.ts";
import { recordOf, HotReload } from "./hot-reload.ts";
import { openSqlite } from "../stores/sqlite/sqlite-database.ts";
import { openStores } from "../stores/open-stores.ts";
import type { Stores } from "../stores/stores.ts";
import { fileChange, type Change } from "../access/change.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { Identity } from "../models/identities/identity.ts";
import { identityOf, type UpstreamSettings } from "../models/upstream-settings.ts";

let folder: string;
let path: string;
let stores: Stores;
let hotReload: HotReload;
let logged: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-reload-"));
  path = join(folder, "tollgate.yaml");
  stores = await openStores({ ...STORE_OPTIONS, dataFolder: join(folder, "data") });
  write({});
  logged = [];
  const declarations = new Declarations(stores, new Secret("a-secret-to-hash-with"), Date.now);
  await declarations.declareFile(await readDeclared(path), recordOf("config.load", path, Date.now));
  hotReload = new HotReload(path, declarations, { write: (facts) => void logged.push(facts["message"]) }, Date.now);
});
afterEach(async () => {
  await hotReload.close();
  await stores.close();
  rmSync(folder, { recursive: true });
});

const record = (before: object | null, after: object): Change =>
  fileChange("config.reload", { kind: "config", id: path }, { before, after }, 1);
const upstream = (id: string): UpstreamSettings => stores.catalog.upstreams().get(id)!;

const countAnnouncements = async (): Promise<number> => (await stores.catalog.announcements(Number.MAX_SAFE_INTEGER, 10)).length;

interface Wording {
  readonly credential?: string;
  readonly baseUrl?: string;
  readonly timeouts?: string;
  readonly price?: string;
  /** Lines to append. */
  readonly more?: string;
}

function write(wording: Wording): void {
  const { credential = "canary-1", baseUrl = "https://a.example/v1", timeouts = "{}", price = "free: true", more = "" } = wording;
  writeFileSync(
    path,
    `upstreams:
  - { id: one, dialect: openai, base_url: "${baseUrl}", credential: ${credential}, timeouts: ${timeouts} }
  - { id: two, dialect: openai, base_url: "https://b.example/v1" }
  - { id: echo, dialect: echo }
models:
  - { id: m, routes: [{ upstream: one, model: x }], ${price} }
  - { id: n, routes: [{ upstream: echo, model: x }], free: true }
${more}
`,
  );
}

test("an unchanged upstream stays the same object, and a changed one does not", async () => {
  const before = ["one", "two", "echo"].map(upstream);
  write({ timeouts: "{ connect_ms: 3000 }" });
  expect((await hotReload.reload(record)).changed).toEqual({ added: [], changed: [], removed: [] });
  expect(["one", "two", "echo"].map(upstream)).toEqual(before);
  for (const [at, id] of ["one", "two", "echo"].entries()) expect(upstream(id)).toBe(before[at]!);

  for (const wording of [{ credential: "canary-2" }, { baseUrl: "https://c.example/v1" }, { timeouts: "{ connect_ms: 1 }" }]) {
    const last = upstream("one");
    write(wording);
    expect((await hotReload.reload(record)).changed).toEqual({ added: [], changed: [{ kind: "upstream", id: "one" }], removed: [] });
    expect(upstream("one")).not.toBe(last);
    expect(upstream("two")).toBe(before[1]!);
    write({});
    await hotReload.reload(record);
  }
});

test("the identity of a changed upstream stays the same object: its credentials belong to it", async () => {
  const identityAfter = async (line: string): Promise<Identity | undefined> => {
    writeFileSync(path, `upstreams:\n  - { id: cloud, preset: azure, base_url: "https://a.openai.azure.com/openai/v1", ${line} }\n`);
    await hotReload.reload(record);
    return identityOf(upstream("cloud"));
  };
  const first = await identityAfter("azure: { client_id: 11111111-2222-3333-4444-555555555555 }");
  expect(first).toBeDefined();
  expect(await identityAfter("azure: { client_id: 11111111-2222-3333-4444-555555555555 }, timeouts: { total_ms: 7 }")).toBe(first);
  expect(await identityAfter("azure: { client_id: 11111111-2222-3333-4444-555555555556 }")).not.toBe(first);
  write({});
  await hotReload.reload(record);
});

test("warns about unusable routes, in the reply and in the log", async () => {
  write({ more: "  - { id: capped, routes: [{ upstream: two, model: x, max_price: { input_per_million: 1 } }], free: true }" });
  const warning = "never used because max_price is set and the price is unknown: capped at two";
  expect((await hotReload.reload(record)).warnings).toEqual([warning]);
  await hotReload.onSignal();
  expect(logged.at(-1)).toBe(`${path} was reloaded: nothing has changed; ${warning}`);
});

test("warns about models of price lists that the file does not have", async () => {
  write({ more: "price_lists: [{ id: p, name: P, models: { misspelt: { free: true } } }]" });
  expect((await hotReload.reload(record)).warnings).toEqual(["models of price lists that are not in the file: misspelt in p"]);
});

test("a changed price is charged, and the model keeps its creation time", async () => {
  const before = stores.catalog.snapshot().get("m")!;
  write({ price: "price: { input_per_million: 1, output_per_million: 2 }" });
  utimesSync(path, 2_000_000_000, 2_000_000_000);
  expect((await hotReload.reload(record)).changed.changed).toEqual([{ kind: "model", id: "m" }]);
  const after = stores.catalog.snapshot().get("m")!;
  expect(after.createdSeconds).toBe(before.createdSeconds);
  expect(await stores.ledgerRecords.price(after.prices[0]!.version)).toEqual(after.prices[0]);
});

test("a file that cannot be stored completely is not applied at all", async () => {
  write({ more: "accounts: [{ id: acme, name: Acme, caps: { day: 5 } }]" });
  await hotReload.reload(record);
  const before = [stores.accounts.find("acme"), stores.catalog.snapshot(), stores.catalog.upstreams()] as const;
  const database = openSqlite(join(folder, "data", "tollgate.db"));
  await sql`create trigger full before insert on announcements begin select raise(abort, 'the disk is full'); end`.execute(database);
  write({
    credential: "canary-2",
    more: "  - { id: new, routes: [{ upstream: echo, model: x }], free: true }\naccounts: [{ id: acme, name: Acme, caps: { day: 9 } }]",
  });
  expect(await hotReload.reload(record).catch(String)).toContain("the disk is full");
  expect([stores.accounts.find("acme"), stores.catalog.snapshot(), stores.catalog.upstreams()]).toEqual([...before]);
  await sql`drop trigger full`.execute(database);
  const [row] = await database.selectFrom("accounts").select("settings").where("id", "=", "acme").execute();
  expect(JSON.parse(row!.settings)).toMatchObject({ caps: { day: "5.00" } });
  await database.destroy();
  await hotReload.reload(record);
  expect(stores.accounts.find("acme")?.caps.dayNanos).toBe(9_000_000_000n);
});

test("concurrent reloads run one after the other", async () => {
  write({ credential: "canary-2" });
  const reports = await Promise.all([hotReload.reload(record), hotReload.reload(record)]);
  expect(reports.map(({ changed }) => changed.changed.length)).toEqual([1, 0]);
  expect(await stores.auditLog.page({ action: "config.reload" }, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1);
});

test("a failed reload does not prevent the next one", async () => {
  write({ credential: '""' });
  const failures = await Promise.allSettled([hotReload.reload(record), hotReload.reload(record)]);
  expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  write({ credential: "canary-3" });
  expect((await hotReload.reload(record)).changed.changed).toHaveLength(1);
});

test("a state is announced once, and not again by a reload without changes", async () => {
  expect(await countAnnouncements()).toBe(2);
  write({ credential: "canary-2" });
  await hotReload.reload(record);
  expect(await countAnnouncements()).toBe(2);
});

test("its state has the result of the last reload, and since when the configuration is in force", async () => {
  const before = hotReload.state;
  expect(before.isRefused).toBe(false);
  writeFileSync(path, "models: [");
  await hotReload.reload(record).catch(() => undefined);
  expect(hotReload.state).toEqual({ ...before, isRefused: true });
  await Bun.sleep(2);
  write({ credential: "canary-2" });
  await hotReload.reload(record);
  expect(hotReload.state.isRefused).toBe(false);
  expect(hotReload.state.inForceSinceMs).toBeGreaterThan(before.inForceSinceMs);
});

test("a file that this process has read before is applied on request alone", async () => {
  const applied: string[] = [];
  let asked = 0;
  const declarations = {
    async declareFile() {
      applied.push("declared");
      return { added: [], changed: [], removed: [] };
    },
    hasRead() {
      asked++;
      return true;
    },
    targets: () => [],
    previewFile: async () => ({ added: [], changed: [], removed: [] }),
  };
  const other = new HotReload(path, declarations, { write: () => undefined }, Date.now);
  try {
    // The file is checked once after the start.
    await eventually(
      () => asked,
      (count) => count > 0,
    );
    expect(applied).toEqual([]);
    await other.reload(record);
    await other.onSignal();
    expect(applied).toEqual(["declared", "declared"]);
  } finally {
    await other.close();
  }
});

test("a comparison lists what is declared, and what a reload would change or why it would be rejected", async () => {
  const idle = new Declarations(stores, new Secret("a-secret-to-hash-with"), Date.now);
  expect(idle.targets()).toEqual([]);
  await idle.declareFile(await readDeclared(path), record);
  expect(idle.targets()).toContainEqual({ kind: "upstream", id: "one" });
  const other = join(folder, "other.yaml");
  writeFileSync(
    other,
    'upstreams: [{ id: one, dialect: openai, base_url: "https://b.example/v1" }, { id: three, dialect: echo }]\nmodels: []\n',
  );
  const { added, changed, removed } = await idle.previewFile(await readDeclared(other));
  expect([added, changed, removed.length > 0]).toEqual([[{ kind: "upstream", id: "three" }], [{ kind: "upstream", id: "one" }], true]);
  expect(upstream("three")).toBeUndefined();
  writeFileSync(path, "upstreams: 1\n");
  const { declared, pending, problem } = await hotReload.compare();
  expect(declared).toEqual(idle.targets());
  expect([pending, problem]).toEqual([undefined, expect.stringContaining(`${path}:1:`) as string]);
});
