import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { DiscoveredModel } from "../../models/wildcard.ts";
import type { Price } from "../../money/price.ts";
import { SqlAuditLogStore } from "../audit-log/sql-audit-log-store.ts";
import type { Database } from "../database.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { SecretLost, Vault } from "../vault.ts";
import {
  announce,
  CHANGE,
  declare,
  declaredModel,
  identitySecretsOf,
  publishedPrice,
  putModel,
  putUpstream,
  upstream,
  upstreamWithIdentity,
} from "./catalog-examples.contract.ts";
import { catalogStoreContract } from "./catalog-store.contract.ts";
import { SqlCatalogStore } from "./sql-catalog-store.ts";

const FIRST = new Secret("the first secret of this installation");
const SECOND = new Secret("the second secret of this installation");
const CANARY = "sk-credential-canary-0123456789";

/** A data folder and its store, which can be opened with different secrets. */
class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-catalog-"));
  database: Database = openSqlite(join(this.path, "tollgate.db"));
  /** The models whose published prices were looked up. */
  readonly lookedUp: string[] = [];

  async open(vault = new Vault(FIRST)): Promise<SqlCatalogStore> {
    await this.database.destroy();
    this.database = openSqlite(join(this.path, "tollgate.db"));
    await migrate(this.database);
    return SqlCatalogStore.open({
      database: this.database,
      vault,
      defaultPrices: (baseUrl, upstreamModel) => {
        this.lookedUp.push(upstreamModel);
        return [publishedPrice(baseUrl)];
      },
    });
  }

  async hasPrice({ version }: Price): Promise<boolean> {
    return (await this.database.selectFrom("prices").select("version").where("version", "=", version).executeTakeFirst()) !== undefined;
  }

  async remove(): Promise<void> {
    await this.database.destroy();
    rmSync(this.path, { recursive: true });
  }

  /** All bytes in the folder. */
  bytes(): string {
    return readdirSync(this.path)
      .map((name) => readFileSync(join(this.path, name), "latin1"))
      .join("");
  }
}

catalogStoreContract("SqlCatalogStore", async () => {
  const folder = new Folder();
  return {
    store: await folder.open(),
    hasPrice: (price) => folder.hasPrice(price),
    auditLog: () => new SqlAuditLogStore(folder.database),
    reopen: () => folder.open(),
    cleanUp: () => folder.remove(),
  };
});

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

function credentialOf(store: SqlCatalogStore, id: string): string | undefined {
  const settings = store.upstreams().get(id);
  return settings?.dialect === "openai" ? settings.credentials[0]?.reveal() : undefined;
}

async function sealedOf(id: string): Promise<string> {
  const row = await folder.database.selectFrom("upstreams").select("credential").where("id", "=", id).executeTakeFirstOrThrow();
  return row.credential!;
}

async function failureOf(opening: Promise<unknown>): Promise<unknown> {
  return opening.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("accepts stored models of earlier versions that today's validation would reject", async () => {
  const store = await folder.open();
  const parameters = { "a\u001Bb": "drop" } as const;
  await putModel(store, { ...declaredModel("a"), owned_by: "x\u202Ey", parameters }, announce("a"), CHANGE);
  expect((await folder.open()).snapshot().get("a")).toMatchObject({ ownedBy: "x\u202Ey", parameters });
});

test("prices of the start are on record before the catalog is in force", async () => {
  const store = await folder.open();
  await putUpstream(store, upstream("u"), CHANGE);
  await putModel(store, declaredModel("a", {}), announce("a"), CHANGE);
  await folder.database.deleteFrom("prices").execute();
  const price = (await folder.open()).snapshot().get("a")!.prices[0]!;
  expect([price, await folder.hasPrice(price)]).toEqual([publishedPrice("https://a.example/v1"), true]);
});

describe("credentials in the database", () => {
  test("are encrypted: no byte on the disk shows one", async () => {
    const store = await folder.open();
    await putUpstream(store, upstream("u", "https://a.example/v1", CANARY), CHANGE);
    await putUpstream(store, upstream("u", "https://a.example/v1", `${CANARY}-rotated`), CHANGE);
    expect(folder.bytes()).toContain("https://a.example/v1");
    expect(folder.bytes()).not.toContain("canary");
    expect(credentialOf(await folder.open(), "u")).toBe(`${CANARY}-rotated`);
  });

  test("do not decrypt in another upstream's row", async () => {
    const store = await folder.open();
    await putUpstream(store, upstream("a", undefined, "sk-of-a"), CHANGE);
    await putUpstream(store, upstream("b", undefined, "sk-of-b"), CHANGE);
    const [ofA, ofB] = [await sealedOf("a"), await sealedOf("b")];
    await folder.database.updateTable("upstreams").set({ credential: ofB }).where("id", "=", "a").execute();
    await folder.database.updateTable("upstreams").set({ credential: ofA }).where("id", "=", "b").execute();
    expect(await failureOf(folder.open())).toBeInstanceOf(SecretLost);
  });

  test("cannot be decrypted without their secret, and a failed start changes nothing", async () => {
    await putUpstream(await folder.open(), upstream("a", undefined, CANARY), CHANGE);
    const sealed = await sealedOf("a");
    const failure = await failureOf(folder.open(new Vault(SECOND)));
    expect(failure).toBeInstanceOf(SecretLost);
    expect(String(failure)).toContain("upstream a");
    expect(String(failure)).not.toContain(CANARY);
    expect(await sealedOf("a")).toBe(sealed);
    expect(credentialOf(await folder.open(), "a")).toBe(CANARY);
  });

  test("are encrypted again with a new secret, after which the old one decrypts nothing", async () => {
    await putUpstream(await folder.open(), upstream("a", undefined, CANARY), CHANGE);
    expect(credentialOf(await folder.open(new Vault(SECOND, FIRST)), "a")).toBe(CANARY);
    expect(credentialOf(await folder.open(new Vault(SECOND)), "a")).toBe(CANARY);
    expect(await failureOf(folder.open(new Vault(FIRST)))).toBeInstanceOf(SecretLost);
  });
});

const headersIn = (store: SqlCatalogStore): (string | undefined)[] => [
  store.upstreams().get("u")!.headers?.["x-team"]?.reveal(),
  store.snapshot().get("a")!.routes[0]!.headers?.["x-route"]?.reveal(),
];

describe("headers in the database", () => {
  const sealed = async (store: SqlCatalogStore): Promise<void> => {
    await putUpstream(store, { ...(upstream("u") as RemoteSettings), headers: { "x-team": new Secret(`${CANARY}-u`) } }, CHANGE);
    const routes = [{ upstream: "u", model: "m", headers: { "x-route": new Secret(`${CANARY}-r`) } }];
    await putModel(store, { ...declaredModel("a"), routes }, announce("a"), CHANGE);
  };
  const plain = [`${CANARY}-u`, `${CANARY}-r`];

  test("are encrypted, with their names in plain text", async () => {
    await sealed(await folder.open());
    expect(folder.bytes()).toContain("x-route");
    expect(folder.bytes()).not.toContain("canary");
    expect(headersIn(await folder.open())).toEqual(plain);
  });

  test("are encrypted again with a new secret, and lost without the old one", async () => {
    await sealed(await folder.open());
    expect(headersIn(await folder.open(new Vault(SECOND, FIRST)))).toEqual(plain);
    expect(headersIn(await folder.open(new Vault(SECOND)))).toEqual(plain);
    expect(await failureOf(folder.open(new Vault(FIRST)))).toBeInstanceOf(SecretLost);
  });

  test("do not decrypt in another row", async () => {
    const store = await folder.open();
    await sealed(store);
    const { declared } = await folder.database.selectFrom("models").select("declared").where("id", "=", "a").executeTakeFirstOrThrow();
    await putModel(store, declaredModel("b"), announce("b"), CHANGE);
    await folder.database
      .updateTable("models")
      .set({ declared: declared.replace('"id":"a"', '"id":"b"') })
      .where("id", "=", "b")
      .execute();
    expect(String(await failureOf(folder.open()))).toContain("headers of the model b");
  });
});

const secretOf = (store: SqlCatalogStore): string => identitySecretsOf(store.upstreams().get("a")!)["secret_access_key"]!;

describe("secrets of identities in the database", () => {
  test("are encrypted, and the other fields are readable", async () => {
    await putUpstream(await folder.open(), upstreamWithIdentity("a", CANARY), CHANGE);
    expect(folder.bytes()).toContain("AKIAIOSFODNN7EXAMPLE");
    expect(folder.bytes()).not.toContain("canary");
    expect(secretOf(await folder.open())).toBe(`secret-${CANARY}`);
  });

  test("are encrypted again with a new secret, after which the old one decrypts nothing", async () => {
    await putUpstream(await folder.open(), upstreamWithIdentity("a", CANARY), CHANGE);
    expect(secretOf(await folder.open(new Vault(SECOND, FIRST)))).toBe(`secret-${CANARY}`);
    expect(secretOf(await folder.open(new Vault(SECOND)))).toBe(`secret-${CANARY}`);
    expect(String(await failureOf(folder.open(new Vault(FIRST))))).toContain("The identity of the upstream a was encrypted with another");
  });

  test("do not decrypt in another upstream's row, nor as its credential", async () => {
    const store = await folder.open();
    await putUpstream(store, upstreamWithIdentity("a", CANARY), CHANGE);
    await putUpstream(store, upstream("b", undefined, "sk-of-b"), CHANGE);
    const { identity } = await folder.database.selectFrom("upstreams").select("identity").where("id", "=", "a").executeTakeFirstOrThrow();
    for (const [row, column] of [
      ["b", "identity"],
      ["a", "credential"],
    ] as const) {
      const changed = await folder.database
        .updateTable("upstreams")
        .set({ [column]: identity })
        .where("id", "=", row)
        .execute();
      expect([row, await failureOf(folder.open()), changed.length]).toEqual([row, expect.any(SecretLost), 1]);
      await folder.database
        .updateTable("upstreams")
        .set({ [column]: null })
        .where("id", "=", row)
        .execute();
    }
  });
});

test("records every change in the audit log, in the same transaction", async () => {
  const store = await folder.open();
  await putUpstream(store, upstream("u"), { ...CHANGE, action: "upstream.create" });
  await putModel(store, declaredModel("a"), announce("a"), { ...CHANGE, action: "model.create" });
  await store.removeUpstream("u", () => ({ change: { ...CHANGE, action: "upstream.remove" } }));
  const rows = await folder.database.selectFrom("changes").select("action").orderBy("id").execute();
  expect(rows.map(({ action }) => action)).toEqual(["upstream.create", "model.create", "upstream.remove"]);
});

test("changes nothing while the database cannot be written", async () => {
  const store = await folder.open();
  await putUpstream(store, upstream("u"), CHANGE);
  await putModel(store, declaredModel("a"), announce("a"), CHANGE);
  const before = [store.snapshot(), store.upstreams(), store.lastAnnouncement("a")] as const;
  await sql`pragma query_only = on`.execute(folder.database);
  const retired = announce("a", { name: "retired", replacement: "b" });
  const attempts = [
    () => putModel(store, declaredModel("a"), retired, CHANGE),
    () => putModel(store, declaredModel("b"), announce("b"), CHANGE),
    () => putUpstream(store, upstream("u", "https://b.example/v1"), CHANGE),
    () => store.removeUpstream("u", () => ({ change: CHANGE })),
    () => declare(store, "file", { upstreams: [], catalog: new Map() }, retired),
  ];
  for (const attempt of attempts) expect(await failureOf(attempt())).toBeInstanceOf(Error);
  expect([store.snapshot(), store.upstreams(), store.lastAnnouncement("a")]).toEqual([...before]);
});

test("checks and writes a change in one turn of the event loop", async () => {
  const store = await folder.open();
  await putUpstream(store, upstream("u"), CHANGE);
  // Two concurrent calls: the second sees the result of the first before either resolves.
  const first = putModel(store, declaredModel("a"), announce("a"), CHANGE);
  expect(store.snapshot().has("a")).toBe(true);
  await first;
});

const listed = (name: string): DiscoveredModel => ({ name, upstreamModel: name, ownedBy: "u", createdSeconds: 1 });

function discover(store: SqlCatalogStore, atMs: number, ...names: readonly string[]): Promise<void> {
  return store.recordDiscovered({ upstream: "u", baseUrl: "https://a.example/v1", models: names.map(listed), foundAtMs: atMs });
}

describe("a change composes only what depends on it", () => {
  let store: SqlCatalogStore;
  let changes = 0;

  beforeEach(async () => {
    store = await folder.open();
    await putUpstream(store, upstream("u"), CHANGE);
    await store.updatePriceList("partners", () => ({ record: { id: "partners", name: "Partners", percent: 80 }, change: CHANGE }));
    for (const id of ["a", "b"]) await putModel(store, declaredModel(id, {}), announce(id), CHANGE);
    await putModel(store, declaredModel("u/*", { routes: [{ upstream: "u", model: "*" }] }), announce("u/*"), CHANGE);
    await discover(store, 1, "x", "y");
    folder.lookedUp.splice(0);
    store.onChange(() => changes++);
    changes = 0;
  });

  /** The models that are different objects after the change, at base prices and at the prices of the price list. */
  async function changed(change: () => Promise<unknown>): Promise<string[]> {
    const before = [store.snapshot(), store.snapshot("partners")];
    await change();
    const after = [store.snapshot(), store.snapshot("partners")];
    const ids = after.map((catalog, at) => [...catalog].filter(([id, model]) => before[at]!.get(id) !== model).map(([id]) => id));
    expect(ids[1]).toEqual(ids[0]);
    return ids[0]!;
  }

  test("a change of a model", async () => {
    expect(await changed(() => putModel(store, declaredModel("a", { context_window: 7 }), undefined, CHANGE))).toEqual(["a"]);
    expect(folder.lookedUp).toEqual(["their-a", "their-a"]);
  });

  test("the same list of models, and a list with one more", async () => {
    const catalogs = [store.snapshot(), store.snapshot("partners")];
    expect(await changed(() => discover(store, 2, "x", "y"))).toEqual([]);
    expect([folder.lookedUp, changes]).toEqual([[], 0]);
    expect([store.snapshot() === catalogs[0], store.snapshot("partners") === catalogs[1]]).toEqual([true, true]);
    expect(store.discovered().get("u")?.foundAtMs).toBe(2);
    expect(await changed(() => discover(store, 3, "x", "z", "y"))).toEqual(["u/z"]);
    expect([folder.lookedUp, changes]).toEqual([["z"], 1]);
  });

  test("a reload, after a change by another process", async () => {
    const other = await SqlCatalogStore.open({ database: folder.database, vault: new Vault(FIRST), defaultPrices: () => [] });
    await putModel(other, declaredModel("b", { context_window: 7 }), undefined, CHANGE);
    await discover(other, 2, "x", "y", "z");
    expect(await changed(() => store.reload("all", folder.database))).toEqual(["u/z", "b"]);
    expect(folder.lookedUp).toEqual(["z", "their-b", "their-b"]);
  });

  test("a change of the upstream's base URL changes all of its models", async () => {
    expect(await changed(() => putUpstream(store, upstream("u", "https://bb.example/v1"), CHANGE))).toEqual(["a", "b", "u/*"]);
    expect(store.snapshot("partners").get("a")!.prices[0]!.derivedFrom?.version).toBe(publishedPrice("https://bb.example/v1").version);
  });

  test("a price list has its prices for all models", async () => {
    const base = store.snapshot();
    await store.updatePriceList("partners", () => ({ record: { id: "partners", name: "Partners", percent: 70 }, change: CHANGE }));
    expect(store.snapshot()).toBe(base);
    expect([...store.snapshot("partners").values()].map(({ prices }) => prices[0]?.derivedFrom?.percent)).toEqual([70, 70, 70, 70, 70]);
  });
});
