import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange, type Change } from "../../access/change.ts";
import type { AuditLogStore, ChangeFilter } from "./audit-log-store.ts";

/** A store under test, and a way to close and reopen it. Any entries of a new store come before the entries that a test adds. */
export interface AuditLogStoreFixture {
  readonly store: AuditLogStore;
  /** Runs a statement on the table of the audit log, `changes`. */
  run(statement: string): Promise<unknown>;
  reopen(): Promise<AuditLogStore>;
  cleanUp(): Promise<void>;
}

const ALL = Number.MAX_SAFE_INTEGER;

/** A change with a value in every field. */
const FULL: Change = {
  atMs: 1_900_000_000_123,
  actor: "person_1",
  actorName: "Ada '; drop table changes; --",
  address: "2001:db8::1",
  requestId: "req_1",
  action: "key.update",
  target: { kind: "key", id: "k1" },
  accountId: "acme",
  before: { name: "ü \u{1f600}", caps: { day: null }, list: [1, "2", true] },
  after: { name: 'a "quoted" name' },
  idempotency: { key: "mine", digest: "d1" },
};

const plain = (id: string, changes: Partial<Change> = {}): Change => ({
  ...ownChange("key.create", { kind: "key", id }, null, 1000),
  ...changes,
});

/** Contract tests for every implementation of this port. */
export function auditLogStoreContract(name: string, open: () => Promise<AuditLogStoreFixture>): void {
  describe(`${name} implements AuditLogStore`, () => {
    let fixture: AuditLogStoreFixture;
    let first: number;
    beforeEach(async () => {
      fixture = await open();
      first = (await fixture.store.page({}, ALL, 1))[0]?.id ?? 0;
    });
    afterEach(() => fixture.cleanUp());

    /** The ids of the targets of the changes that match, newest first. */
    const targets = async (filter: ChangeFilter, store = fixture.store): Promise<string[]> =>
      (await store.page(filter, ALL, 1000)).filter(({ id }) => id > first).map(({ target }) => target.id);

    async function nowAndReopened(check: (store: AuditLogStore) => Promise<void>): Promise<void> {
      await check(fixture.store);
      await check(await fixture.reopen());
    }

    test("returns every field of a change as it was added, even after a restart", async () => {
      const changes = [FULL, plain("k2")];
      for (const change of changes) await fixture.store.add(change);
      await nowAndReopened(async (store) => {
        const page = await store.page({}, ALL, 2);
        expect(page).toEqual(changes.toReversed().map((change, at) => ({ id: page[at]!.id, ...change })));
      });
    });

    test("lists the newest first, with increasing ids, page by page", async () => {
      for (let at = 0; at < 7; at++) await fixture.store.add(plain(`k${at}`, { atMs: 1000 - at }));
      const pages: string[][] = [];
      for (let before = ALL; ;) {
        const page = (await fixture.store.page({}, before, 3)).filter(({ id }) => id > first);
        if (page.length === 0) break;
        expect(page.map(({ id }) => id)).toEqual(page.map(({ id }) => id).toSorted((a, b) => b - a));
        pages.push(page.map(({ target }) => target.id));
        before = page.at(-1)!.id;
      }
      expect(pages).toEqual([["k6", "k5", "k4"], ["k3", "k2", "k1"], ["k0"]]);
    });

    test("records concurrent changes, each with its own id", async () => {
      await Promise.all(Array.from({ length: 50 }, (_, at) => fixture.store.add(plain(`k${at}`))));
      const page = (await fixture.store.page({}, ALL, 1000)).filter(({ id }) => id > first);
      expect([new Set(page.map(({ id }) => id)).size, new Set(page.map(({ target }) => target.id)).size]).toEqual([50, 50]);
    });

    test("filters by actor, action, target, account and time, and by all of them together", async () => {
      await fixture.store.add(plain("k1", { atMs: 10, actor: "ada", accountId: "acme" }));
      await fixture.store.add(plain("k2", { atMs: 20, actor: "bob", accountId: "acme", action: "key.revoke" }));
      await fixture.store.add(plain("m1", { atMs: 30, actor: "ada", action: "model.create", target: { kind: "model", id: "m1" } }));
      await fixture.store.add(plain("k1", { atMs: 40, actor: "ada", accountId: "other" }));
      expect(await targets({ actor: "ada" })).toEqual(["k1", "m1", "k1"]);
      expect(await targets({ action: "key.revoke" })).toEqual(["k2"]);
      expect(await targets({ targetKind: "model" })).toEqual(["m1"]);
      expect(await targets({ targetId: "k1" })).toEqual(["k1", "k1"]);
      expect(await targets({ accountId: "acme" })).toEqual(["k2", "k1"]);
      expect(await targets({ fromMs: 20, toMs: 40 })).toEqual(["m1", "k2"]);
      const all = { actor: "ada", action: "key.create", targetKind: "key", targetId: "k1", accountId: "acme", fromMs: 10, toMs: 11 };
      expect(await targets(all)).toEqual(["k1"]);
      expect(await targets({ ...all, accountId: "nobody" })).toEqual([]);
      expect(await targets({ actor: undefined, fromMs: 5, toMs: 50 })).toHaveLength(4);
    });

    test("finds the creation of an actor by its idempotency key, even after a restart", async () => {
      await fixture.store.add(FULL);
      await fixture.store.add(plain("k2", { actor: "person_2", idempotency: { key: "mine", digest: "d2" } }));
      await nowAndReopened(async (store) => {
        expect(await store.findCreation("person_1", "mine")).toEqual({ target: { kind: "key", id: "k1" }, digest: "d1" });
        expect(await store.findCreation("person_2", "mine")).toEqual({ target: { kind: "key", id: "k2" }, digest: "d2" });
        expect(await store.findCreation("person_1", "other")).toBeUndefined();
        expect(await store.findCreation("person_3", "mine")).toBeUndefined();
      });
    });

    for (const [how, statement] of [
      ["an update", "update changes set actor_name = 'nobody'"],
      ["a delete", "delete from changes"],
      [
        "an update on conflict",
        `insert into changes (id, at_ms, actor, actor_name, action, target_kind, target_id)
          select max(id), 1, 'tollgate', 'nobody', 'nothing', 'key', 'k1' from changes where true
          on conflict (id) do update set action = 'nothing'`,
      ],
    ] as const) {
      test(`is append-only: ${how} changes nothing`, async () => {
        await fixture.store.add(FULL);
        const before = await fixture.store.page({}, ALL, 10);
        const [outcome] = await Promise.allSettled([fixture.run(statement)]);
        expect(String((outcome as PromiseRejectedResult).reason)).toContain("append-only");
        expect(await fixture.store.page({}, ALL, 10)).toEqual(before);
      });
    }

    test("rejects a second creation of an actor with the same idempotency key", async () => {
      await fixture.store.add(FULL);
      expect(
        await fixture.store.add({ ...FULL, target: { kind: "key", id: "k2" } }).then(
          () => "added",
          () => "rejected",
        ),
      ).toBe("rejected");
      expect(await targets({})).toEqual(["k1"]);
    });
  });
}
