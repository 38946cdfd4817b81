import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { IDLE_MS, type Session } from "../../access/session.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { removalContract } from "../update.contract.ts";
import type { SessionStore } from "./session-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface SessionStoreFixture {
  readonly store: SessionStore;
  auditLog(): AuditLogStore;
  reopen(): Promise<SessionStore>;
  cleanUp(): Promise<void>;
}

const session = (id: string, createdAtMs = 1, personId = "ada"): Session => ({
  id,
  hash: `hash-${id}`,
  personId,
  generation: 2,
  createdAtMs,
  lastSeenAtMs: createdAtMs,
  address: "192.0.2.1",
  userAgent: "'; drop table sessions; --",
});

const CHANGE = ownChange("session.test", { kind: "session", id: "a" }, null, 1);

const end = (store: SessionStore, id: string): Promise<unknown> => store.end(`hash-${id}`, () => ({ change: CHANGE }));

const idsOf = (store: SessionStore, personId = "ada"): string[] => store.listOf(personId).map(({ id }) => id);

/** Contract tests for every implementation of this port. */
export function sessionStoreContract(name: string, open: () => Promise<SessionStoreFixture>): void {
  describe(`${name} implements SessionStore`, () => {
    let fixture: SessionStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    removalContract<Session>("end", () => ({
      id: "hash-a",
      record: session("a"),
      add: () => fixture.store.add(session("a"), CHANGE),
      remove: (hash, make) => fixture.store.end(hash, make),
      find: (hash) => fixture.store.find(hash),
      findAfterRestart: async (hash) => (await fixture.reopen()).find(hash),
      auditLog: () => fixture.auditLog(),
    }));

    test("finds a session by its hash, even after a restart", async () => {
      await fixture.store.add(session("a"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(store.find("hash-a")).toEqual(session("a"));
        expect([store.find("a"), store.find("hash-b")]).toEqual([undefined, undefined]);
      }
    });

    test("an ended session is gone for good", async () => {
      await fixture.store.add(session("a"), CHANGE);
      await fixture.store.add(session("b"), CHANGE);
      await end(fixture.store, "a");
      expect(fixture.store.find("hash-a")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual(["b"]);
    });

    test("a new session can replace another", async () => {
      await fixture.store.add(session("a"), CHANGE);
      await fixture.store.add(session("b", 2), CHANGE, session("a"));
      expect(fixture.store.find("hash-a")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual(["b"]);
    });

    test("lists a person's newest first, and no one else's", async () => {
      await fixture.store.add(session("a", 1), CHANGE);
      await fixture.store.add(session("b", 2), CHANGE);
      await fixture.store.add(session("c", 3, "bob"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(idsOf(store)).toEqual(["b", "a"]);
        expect(idsOf(store, "bob")).toEqual(["c"]);
      }
    });

    test("records a use once a minute, and a clean restart keeps it", async () => {
      await fixture.store.add(session("a", 0), CHANGE);
      fixture.store.touch(session("a"), 59_999);
      expect(fixture.store.find("hash-a")?.lastSeenAtMs).toBe(0);
      fixture.store.touch(session("a"), 60_000);
      fixture.store.touch(session("a"), 100_000);
      expect(fixture.store.find("hash-a")?.lastSeenAtMs).toBe(60_000);
      expect((await fixture.reopen()).find("hash-a")?.lastSeenAtMs).toBe(60_000);
    });

    test("a use does not restore an ended session", async () => {
      await fixture.store.add(session("a", 0), CHANGE);
      await end(fixture.store, "a");
      fixture.store.touch(session("a", 0), 70_000);
      expect(fixture.store.find("hash-a")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual([]);
    });

    test("a new session removes expired ones", async () => {
      await fixture.store.add(session("old", 0), CHANGE);
      await fixture.store.add(session("new", IDLE_MS, "bob"), CHANGE);
      expect(fixture.store.find("hash-old")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual([]);
    });

    test("a person has at most fifty sessions, and the oldest is removed", async () => {
      for (let at = 0; at < 51; at++) await fixture.store.add(session(`s${at}`, at), CHANGE);
      await fixture.store.add(session("other", 99, "bob"), CHANGE);
      expect(idsOf(fixture.store)).toHaveLength(50);
      expect(fixture.store.find("hash-s0")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual(idsOf(fixture.store));
    });
  });
}
