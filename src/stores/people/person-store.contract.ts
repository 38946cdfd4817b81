import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { disabled, type Person } from "../../access/person.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { removalContract, updateContract } from "../update.contract.ts";
import type { PersonStore } from "./person-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface PersonStoreFixture {
  readonly store: PersonStore;
  auditLog(): AuditLogStore;
  reopen(): Promise<PersonStore>;
  cleanUp(): Promise<void>;
}

const person = (id: string, createdAtMs = 1): Person => ({
  id,
  email: `${id}@example.test`,
  name: `'; drop table people; -- ${id}`,
  role: "operator",
  accountId: null,
  passwordHash: "$argon2id$…",
  identity: { issuer: "https://provider.test", subject: id },
  invitation: { hash: `hash-${id}`, expiresAtMs: 9 },
  sessionGeneration: 3,
  tokenGeneration: 4,
  createdAtMs,
  disabledAtMs: null,
  archivedAtMs: null,
});

const member = (id: string, createdAtMs: number): Person => ({
  ...person(id, createdAtMs),
  name: "Ada Lovelace",
  role: "member",
  accountId: "acme",
  passwordHash: null,
  identity: null,
  invitation: null,
});

const CHANGE = ownChange("person.test", { kind: "person", id: "a" }, null, 1);

const put = (store: PersonStore, record: Person): Promise<unknown> => store.update(record.id, () => ({ record, change: CHANGE }));

/** Contract tests for every implementation of this port. */
export function personStoreContract(name: string, open: () => Promise<PersonStoreFixture>): void {
  describe(`${name} implements PersonStore`, () => {
    let fixture: PersonStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    const stored = {
      id: "a",
      record: person("a"),
      add: () => put(fixture.store, person("a")),
      find: (id: string) => fixture.store.find(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).find(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<Person>("update", () => ({
      ...stored,
      update: (id, make) => fixture.store.update(id, make),
      first: (record) => ({ ...record, name: "b" }),
      second: (record) => disabled(record, 50),
    }));
    removalContract<Person>("remove", () => ({ ...stored, remove: (id, make) => fixture.store.remove(id, make) }));

    test("of two operators who are disabled at the same time, one stays", async () => {
      const { store } = fixture;
      await put(store, person("a"));
      await put(store, person("b"));
      const disable = (id: string): Promise<unknown> =>
        store.update(id, (current) => (store.countOperators() > 1 ? { record: disabled(current!, 50), change: CHANGE } : undefined));
      await Promise.all([disable("a"), disable("b")]);
      expect([store.countOperators(), (await fixture.reopen()).countOperators()]).toEqual([1, 1]);
    });

    test("finds a person by id, email, identity and invitation, even after a restart", async () => {
      await put(fixture.store, person("a"));
      await put(fixture.store, member("b", 2));
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(store.find("a")).toEqual(person("a"));
        expect(store.find("b")).toEqual(member("b", 2));
        expect(store.findByEmail("a@example.test")?.id).toBe("a");
        expect(store.findByIdentity({ issuer: "https://provider.test", subject: "a" })?.id).toBe("a");
        expect(store.findByInvitation("hash-a")?.id).toBe("a");
        expect([store.find("c"), store.findByEmail("c@example.test"), store.findByInvitation("hash-b")]).toEqual([
          undefined,
          undefined,
          undefined,
        ]);
        expect(store.findByIdentity({ issuer: "https://other.test", subject: "a" })).toBeUndefined();
        expect(store.findByIdentity({ issuer: "https://provider.test", subject: "b" })).toBeUndefined();
      }
    });

    test("a change is in force and durable when it is confirmed, and removed access is removed", async () => {
      await put(fixture.store, person("a"));
      const changed = { ...disabled(person("a"), 50), name: "b", identity: null };
      await put(fixture.store, changed);
      expect(fixture.store.find("a")).toEqual(changed);
      expect((await fixture.reopen()).find("a")).toEqual(changed);
      expect(fixture.store.findByInvitation("hash-a")).toBeUndefined();
    });

    test("rejects a duplicate email, also of two concurrent writes", async () => {
      const { store } = fixture;
      const wanted = { ...person("b"), email: "a@example.test", identity: null, invitation: null };
      const outcomes = await Promise.allSettled([put(store, person("a")), put(store, wanted)]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      const [again] = await Promise.allSettled([put(store, wanted)]);
      expect(again).toMatchObject({ reason: { code: "already_exists", param: "email" } });
      expect(store.find("b")).toBeUndefined();
      expect(store.findByEmail("a@example.test")?.id).toBe("a");
      expect(store.count()).toBe(1);
    });

    test("lists everybody", async () => {
      await put(fixture.store, person("a"));
      await put(fixture.store, { ...member("b", 2), archivedAtMs: 5 });
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect((await store.list()).toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
          person("a"),
          { ...member("b", 2), archivedAtMs: 5 },
        ]);
      }
    });

    test("a removed person is found by nothing, and the email address is free", async () => {
      const { store } = fixture;
      await put(store, person("a"));
      await store.remove("a", () => ({ change: CHANGE }));
      expect([store.findByEmail("a@example.test"), store.findByInvitation("hash-a"), store.count()]).toEqual([undefined, undefined, 0]);
      await put(store, { ...member("b", 2), email: "a@example.test" });
      expect(store.findByEmail("a@example.test")?.id).toBe("b");
    });

    test("counts people, and operators who are not disabled", async () => {
      await put(fixture.store, person("a"));
      await put(fixture.store, disabled(person("b"), 5));
      await put(fixture.store, member("c", 2));
      expect([fixture.store.count(), fixture.store.countOperators()]).toEqual([3, 1]);
    });
  });
}
