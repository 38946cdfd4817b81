import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { IDLE_MS, type Session } from "../../access/session.ts";
import type { SessionStore } from "./session-store.ts";

/** A store under test, and a way to close it and open what it kept. */
export interface SessionStoreFixture {
  readonly store: SessionStore;
  reopen(): Promise<SessionStore>;
  cleanUp(): Promise<void>;
}

const session = (id: string, createdAtMs = 1, personId = "ada"): Session => ({
  id,
  hash: `hash-${id}`,
  personId,
  round: 2,
  createdAtMs,
  lastSeenAtMs: createdAtMs,
  address: "192.0.2.1",
  userAgent: "'; drop table sessions; --",
});

const CHANGE = ownChange("session.test", { kind: "session", id: "a" }, null, 1);

const idsOf = (store: SessionStore, personId = "ada"): string[] => store.listOf(personId).map(({ id }) => id);

/** What every implementation of the port must do. */
export function sessionStoreContract(name: string, open: () => Promise<SessionStoreFixture>): void {
  describe(`${name} keeps the contract of SessionStore`, () => {
    let fixture: SessionStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    test("a session is found by its hash, and is there after a restart", async () => {
      await fixture.store.add(session("a"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(store.find("hash-a")).toEqual(session("a"));
        expect([store.find("a"), store.find("hash-b")]).toEqual([undefined, undefined]);
      }
    });

    test("one that is ended is gone at once, and stays so", async () => {
      await fixture.store.add(session("a"), CHANGE);
      await fixture.store.add(session("b"), CHANGE);
      const ending = fixture.store.end(session("a"), CHANGE);
      expect(fixture.store.find("hash-a")).toBeUndefined();
      await ending;
      expect(idsOf(await fixture.reopen())).toEqual(["b"]);
    });

    test("one can take the place of another", async () => {
      await fixture.store.add(session("a"), CHANGE);
      await fixture.store.add(session("b", 2), CHANGE, session("a"));
      expect(fixture.store.find("hash-a")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual(["b"]);
    });

    test("a person's are listed newest first, and no other's", async () => {
      await fixture.store.add(session("a", 1), CHANGE);
      await fixture.store.add(session("b", 2), CHANGE);
      await fixture.store.add(session("c", 3, "bob"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(idsOf(store)).toEqual(["b", "a"]);
        expect(idsOf(store, "bob")).toEqual(["c"]);
      }
    });

    test("a use is noticed once a minute, and is not lost by a restart", async () => {
      await fixture.store.add(session("a", 0), CHANGE);
      fixture.store.touch(session("a"), 59_999);
      expect(fixture.store.find("hash-a")?.lastSeenAtMs).toBe(0);
      fixture.store.touch(session("a"), 60_000);
      fixture.store.touch(session("a"), 100_000);
      expect(fixture.store.find("hash-a")?.lastSeenAtMs).toBe(60_000);
      expect((await fixture.reopen()).find("hash-a")?.lastSeenAtMs).toBe(60_000);
    });

    test("a use does not bring back what was ended", async () => {
      await fixture.store.add(session("a", 0), CHANGE);
      await fixture.store.end(session("a", 0), CHANGE);
      fixture.store.touch(session("a", 0), 70_000);
      expect(fixture.store.find("hash-a")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual([]);
    });

    test("what is over makes room for what is new", async () => {
      await fixture.store.add(session("old", 0), CHANGE);
      await fixture.store.add(session("new", IDLE_MS, "bob"), CHANGE);
      expect(fixture.store.find("hash-old")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual([]);
    });

    test("a person has fifty, and the oldest makes room for one more", async () => {
      for (let at = 0; at < 51; at++) await fixture.store.add(session(`s${at}`, at), CHANGE);
      await fixture.store.add(session("other", 99, "bob"), CHANGE);
      expect(idsOf(fixture.store)).toHaveLength(50);
      expect(fixture.store.find("hash-s0")).toBeUndefined();
      expect(idsOf(await fixture.reopen())).toEqual(idsOf(fixture.store));
    });
  });
}
