import { describe, expect, spyOn, test } from "bun:test";
import { settled } from "../../../test/support/eventually.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { CHANGE, PERSON, sampleKey, sampleSession, TOKEN } from "../../../test/support/postgres/sample-records.ts";
import { TwoProcesses } from "../../../test/support/postgres/two-processes.ts";
import { DEFAULT_ACCOUNT, makeAccount, type Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Update } from "../../access/change.ts";
import { disabled } from "../../access/person.ts";
import { IDLE_MS } from "../../access/session.ts";
import { makeAlert } from "../../alerts/alert.ts";
import { credentialsOf } from "../../models/upstream-settings.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import { accountReaderContract } from "../accounts/account-reader.contract.ts";
import { openAccounts } from "../accounts/open-accounts.ts";
import { webhook } from "../alerts/webhook-store.contract.ts";
import {
  announce,
  declare,
  declaredModel,
  foreign,
  publishedPrice,
  putModel,
  putUpstream,
  upstream,
} from "../catalog/catalog-examples.contract.ts";
import { keyReaderContract } from "../keys/key-reader.contract.ts";
import { SqlLastUsedStore } from "../last-used/sql-last-used-store.ts";
import { ConnectionReader } from "./connection-reader.ts";

const PARTNERS = { id: "partners", name: "Partners", percent: 80 };

const revoked = (key: KeyRecord | undefined): Update<KeyRecord> => ({
  record: { ...key!, revokedAtMs: 50 },
  change: CHANGE,
});

const withoutPrevious = (key: KeyRecord | undefined): Update<KeyRecord> => ({
  record: { ...key!, previous: { ...key!.previous!, worksUntilMs: 10 } },
  change: CHANGE,
});

const cleanUp = async (): Promise<void> => undefined;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.skipIf(!hasPostgres)("two processes on PostgreSQL", () => {
  const processes = new TwoProcesses();
  const { database } = processes;
  const propagated = (): Promise<void> => processes.refresh();

  keyReaderContract("The keys of another process", async () => ({
    store: processes.first.keys,
    reader: processes.second.keys,
    propagated,
    cleanUp,
  }));
  accountReaderContract("The accounts of another process", async () => {
    const { accounts, catalog } = processes.first;
    const declareAccounts = async (declared: readonly Account[]): Promise<void> => {
      await catalog.declare("file", () => ({
        declared: { upstreams: [], catalog: new Map() },
        announcements: [],
        together: [accounts.prepare(declared.map((account) => ({ account, change: CHANGE })))],
      }));
    };
    return { store: accounts, reader: processes.second.accounts, declare: declareAccounts, propagated, cleanUp };
  });

  test("a revocation or removal takes effect in the other, and its listeners get the record before", async () => {
    const { first, second } = processes;
    await first.keys.add(sampleKey(), CHANGE);
    await first.people.update(PERSON.id, () => ({ record: PERSON, change: CHANGE }));
    await first.sessions.add(sampleSession("a"), CHANGE);
    await first.accessTokens.add(TOKEN, CHANGE);
    await processes.refresh();
    const notices: unknown[] = [];
    second.keys.onChange(({ revokedAtMs }, before) => notices.push([revokedAtMs, before?.revokedAtMs]));
    await first.keys.revoke("k", revoked);
    await first.people.update(PERSON.id, (person) => ({ record: disabled(person!, 50), change: CHANGE }));
    await first.sessions.end("hash-a", () => ({ change: CHANGE }));
    await first.accessTokens.revoke("t", (token) => ({ record: { ...token!, revokedAtMs: 50 }, change: CHANGE }));
    await processes.refresh();
    expect(second.keys.find("k")?.revokedAtMs).toBe(50);
    expect(notices).toEqual([[50, null]]);
    expect(second.people.find(PERSON.id)).toEqual(disabled(PERSON, 50));
    expect(second.sessions.find("hash-a")).toBeUndefined();
    expect(second.accessTokens.find("t")?.revokedAtMs).toBe(50);
  });

  test("an unwritten revocation of a key survives a change by the other, keeps it, and can be written", async () => {
    const { first, second } = processes;
    await first.keys.add(sampleKey(), CHANGE);
    await database.setWritable(false, "keys");
    for (const make of [withoutPrevious, revoked]) {
      expect(await failureOf(first.keys.revoke("k", make))).toBeInstanceOf(StorageUnavailable);
    }
    await database.setWritable(true, "keys");
    await second.keys.update("k", (key) => ({ record: { ...key!, name: "renamed" }, change: CHANGE }));
    await processes.refresh();
    const { previous } = sampleKey();
    const inForce = { ...sampleKey(), name: "renamed", revokedAtMs: 50, previous: { ...previous!, worksUntilMs: 10 } };
    expect([first.keys.find("k"), first.keys.isUnwritten("k")]).toEqual([inForce, true]);
    expect(second.keys.find("k")).toEqual({ ...sampleKey(), name: "renamed" });
    await first.keys.revoke("k", (key) => ({ record: key!, change: CHANGE }));
    await processes.refresh();
    expect([first.keys.isUnwritten("k"), second.keys.find("k")]).toEqual([false, inForce]);
  });

  test("a revocation is in force whatever the database fails with", async () => {
    const { keys } = processes.first;
    const { pool } = database.process();
    await keys.add(sampleKey(), CHANGE);
    await pool.query("alter table keys add constraint never check (revoked_at_ms is null)");
    const failure = await failureOf(keys.revoke("k", revoked));
    await pool.query("alter table keys drop constraint never");
    expect([failure instanceof Error, failure instanceof StorageUnavailable]).toEqual([true, false]);
    expect([keys.find("k")?.revokedAtMs, keys.isUnwritten("k")]).toEqual([50, true]);
  });

  test("a revocation that the other has written is no longer unwritten", async () => {
    const { first, second } = processes;
    await first.keys.add(sampleKey(), CHANGE);
    await database.setWritable(false, "keys");
    expect(await failureOf(first.keys.revoke("k", revoked))).toBeInstanceOf(StorageUnavailable);
    await database.setWritable(true, "keys");
    await second.keys.revoke("k", revoked);
    await processes.refresh();
    expect([first.keys.isUnwritten("k"), first.keys.find("k")?.revokedAtMs]).toEqual([false, 50]);
  });

  test("an unwritten loss of access of people, sessions and tokens survives a change by the other", async () => {
    const { first, second } = processes;
    await first.people.update(PERSON.id, () => ({ record: PERSON, change: CHANGE }));
    for (const id of ["a", "b"]) await first.sessions.add(sampleSession(id), CHANGE);
    await first.accessTokens.add(TOKEN, CHANGE);
    await database.setWritable(false, "people", "sessions", "access_tokens");
    const attempts = [
      first.people.update(PERSON.id, (person) => ({ record: { ...person!, identity: null }, change: CHANGE })),
      first.people.update(PERSON.id, (person) => ({ record: disabled(person!, 50), change: CHANGE })),
      first.sessions.end("hash-a", () => ({ change: CHANGE })),
      first.sessions.add(sampleSession("c"), CHANGE, sampleSession("b")),
      first.accessTokens.revoke("t", (token) => ({ record: { ...token!, revokedAtMs: 50 }, change: CHANGE })),
    ];
    for (const attempt of attempts) expect(await failureOf(attempt)).toBeInstanceOf(StorageUnavailable);
    await database.setWritable(true, "people", "sessions", "access_tokens");
    await second.people.update(PERSON.id, (person) => ({ record: { ...person!, name: "renamed" }, change: CHANGE }));
    for (const id of ["a", "b"]) second.sessions.touch(sampleSession(id), 70_000);
    second.accessTokens.touch(TOKEN, 70_000);
    await Promise.all([second.sessions.close(), second.accessTokens.close()]);
    await processes.refresh();
    expect(first.people.find(PERSON.id)).toEqual({ ...disabled(PERSON, 50), name: "renamed", identity: null });
    expect(first.sessions.listOf("ada")).toEqual([]);
    expect(first.accessTokens.find("t")).toEqual({ ...TOKEN, lastUsedAtMs: 70_000, revokedAtMs: 50 });
    expect(second.sessions.listOf("ada")).toHaveLength(2);
  });

  test("a session that is used through one process is not idle in the other", async () => {
    const { first, second } = processes;
    await first.sessions.add(sampleSession("a", 0), CHANGE);
    await processes.refresh();
    first.sessions.touch(sampleSession("a", 0), IDLE_MS - 1);
    await first.sessions.close();
    await second.sessions.add(sampleSession("b", IDLE_MS), CHANGE);
    await processes.refresh();
    for (const { sessions } of [first, second]) {
      expect(sessions.listOf("ada").map(({ id, lastSeenAtMs }) => [id, lastSeenAtMs])).toEqual([
        ["b", IDLE_MS],
        ["a", IDLE_MS - 1],
      ]);
    }
  });

  test("a session that replaces others ends them in both", async () => {
    const { first, second } = processes;
    await first.sessions.add(sampleSession("a", 1), CHANGE);
    await processes.refresh();
    await second.sessions.add(sampleSession("b", 2), CHANGE, sampleSession("a", 1));
    await processes.refresh();
    expect(first.sessions.listOf("ada").map(({ id }) => id)).toEqual(["b"]);
  });

  test("lists have the keys, accounts and people of the other at once", async () => {
    const { first, second } = processes;
    await first.keys.add(sampleKey(), CHANGE);
    await first.people.update(PERSON.id, () => ({ record: PERSON, change: CHANGE }));
    expect(second.keys.find("k")).toBeUndefined();
    expect(await second.keys.list()).toEqual([sampleKey()]);
    expect(await second.people.list()).toEqual([PERSON]);
  });

  test("a key and a person who are removed in one are unknown in the other, and somebody else has the email address", async () => {
    const { first, second } = processes;
    await first.keys.add(sampleKey(), CHANGE);
    await first.people.update(PERSON.id, () => ({ record: PERSON, change: CHANGE }));
    await processes.refresh();
    const removed: string[] = [];
    second.keys.onRemove(({ id }) => removed.push(id));
    await first.keys.remove("k", () => ({ change: CHANGE }));
    await first.people.remove(PERSON.id, () => ({ change: CHANGE }));
    await first.people.update("other", () => ({ record: { ...PERSON, id: "other" }, change: CHANGE }));
    await processes.refresh();
    expect([second.keys.find("k"), removed, second.people.findByEmail(PERSON.email)?.id]).toEqual([undefined, ["k"], "other"]);
  });

  test("two first starts at the same time create one default account", async () => {
    const { first, second } = processes;
    await Promise.all([openAccounts(first.database, 1), openAccounts(second.database, 2)]);
    const created = await first.auditLog.page({ action: "account.create" }, Number.MAX_SAFE_INTEGER, 9);
    expect(created.map(({ target }) => target.id)).toEqual([DEFAULT_ACCOUNT]);
  });

  test("the catalog of operators is the same in both; each process keeps the declarations of its file", async () => {
    const { first, second } = processes;
    await putUpstream(first.catalog, upstream("u", undefined, "sk-first"), CHANGE);
    await declare(second.catalog, "file", foreign("file", ["of-the-file"]));
    await processes.refresh();
    const settings = second.catalog.upstreams().get("u");
    let changes = 0;
    second.catalog.onChange(() => (changes += 1));
    await putModel(first.catalog, declaredModel("m", {}), announce("m"), CHANGE);
    await processes.refresh();
    expect([...second.catalog.snapshot().keys()]).toEqual(["m", "of-the-file"]);
    expect([...first.catalog.snapshot().keys()]).toEqual(["m"]);
    expect(second.catalog.snapshot().get("m")).toEqual(first.catalog.snapshot().get("m"));
    expect([second.catalog.upstreams().get("u") === settings, changes]).toEqual([true, 1]);
    await putUpstream(first.catalog, upstream("u", undefined, "sk-rotated"), CHANGE);
    await processes.refresh();
    expect(credentialsOf(second.catalog.upstreams().get("u")!).map((each) => each.reveal())).toEqual(["sk-rotated"]);
  });

  test("a catalog that was read before changes of both processes does not replace them", async () => {
    const { first, second } = processes;
    const hasRead = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    // The last step before a catalog that was read is in force is recording its prices. This catalog has none.
    const paused = spyOn(ConnectionReader.prototype, "write").mockImplementationOnce(() => (hasRead.resolve(), mayGoOn.promise));
    await putUpstream(first.catalog, upstream("u"), CHANGE);
    const reading = database.process(1).feed.refresh();
    await hasRead.promise;
    await putModel(first.catalog, declaredModel("m", {}), announce("m"), CHANGE);
    await first.catalog.updatePriceList("partners", () => ({ record: PARTNERS, change: CHANGE }));
    const declaring = declare(second.catalog, "file", foreign("file", ["of-the-file"]));
    // The change waits for the reading. Otherwise it would be in force by now, and would then be lost.
    await settled(() => second.catalog.snapshot().has("of-the-file"));
    mayGoOn.resolve();
    await Promise.all([reading, declaring]);
    paused.mockRestore();
    await processes.refresh();
    expect([...second.catalog.snapshot().keys()]).toEqual(["m", "of-the-file"]);
    expect([...second.catalog.priceLists().keys()]).toEqual(["partners"]);
    expect([...second.catalog.upstreams().keys()]).toContain("u");
  });

  test("prices of a catalog that was read again are on record, also where this process has others", async () => {
    const { first, second } = processes;
    await putUpstream(first.catalog, upstream("u"), CHANGE);
    await putModel(first.catalog, declaredModel("m", {}), announce("m"), CHANGE);
    await first.database.deleteFrom("prices").execute();
    await processes.refresh();
    expect(second.catalog.snapshot().get("m")?.prices).toEqual([publishedPrice("https://a.example/v1")]);
    expect(await first.database.selectFrom("prices").select("version").execute()).toEqual([
      { version: publishedPrice("https://a.example/v1").version },
    ]);
  });

  test("the marks of alerts are known to the process that raises the next", async () => {
    const { first, second } = processes;
    const hook = webhook();
    const alert = makeAlert("credit.low", {}, 1);
    await first.alerts.raise(
      [
        { subject: "a", mark: { value: "low", atMs: 1 }, alert, webhookIds: [hook.id] },
        { subject: "b", mark: { value: "low", atMs: 2 }, webhookIds: [] },
      ],
      2,
    );
    await processes.refresh();
    await second.alerts.raise([{ subject: "b", mark: undefined, webhookIds: [] }], 1);
    await processes.refresh();
    for (const { alerts } of [first, second]) expect([...alerts.marks]).toEqual([["a", { value: "low", atMs: 1 }]]);
    expect(await second.alerts.due(hook.id, 1, 9)).toMatchObject([{ alertId: alert.id }]);
  });

  test("last-used times are the latest of both, and requests are the sum", async () => {
    await processes.first.keys.add(sampleKey(), CHANGE);
    const stores = [new SqlLastUsedStore(processes.first.database), new SqlLastUsedStore(processes.second.database)];
    for (const [at, store] of stores.entries()) for (let time = 0; time < 20; time++) store.noteModel("k", `m${time % 5}`, 100 - at + time);
    await Promise.all(stores.map((store) => store.close()));
    expect(await stores[0]!.keysUsing("m4", { sinceMs: 0, accountIds: [] }, undefined, 9)).toEqual([
      { keyId: "k", lastUsedAtMs: 119, requests: 8 },
    ]);
  });

  test("a record that a restored database does not have is gone, and one that it has in an older state is so", async () => {
    const { first, second } = processes;
    await first.keys.add(sampleKey(), CHANGE);
    await first.keys.add(sampleKey("lost"), CHANGE);
    await first.accounts.update("acme", () => ({ record: makeAccount("acme", "new", 1), change: CHANGE }));
    await processes.refresh();
    const { pool } = database.process();
    await pool.query("delete from keys where id = 'lost'");
    await pool.query("update accounts set name = 'old'");
    await pool.query("update feed set nonce = nonce - 1");
    await pool.query("update feed_head set nonce = nonce - 1");
    const kept = second.keys.find("k");
    await processes.refresh();
    for (const { keys, accounts } of [first, second]) {
      expect([keys.ids(), accounts.find("acme")?.name]).toEqual([["k"], "old"]);
    }
    expect(second.keys.find("k")).toBe(kept);
  });
});
