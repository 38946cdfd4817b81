import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AccessToken } from "../../access/access-token.ts";
import { ownChange } from "../../access/change.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { updateContract } from "../update.contract.ts";
import type { AccessTokenStore } from "./access-token-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface AccessTokenStoreFixture {
  readonly store: AccessTokenStore;
  auditLog(): AuditLogStore;
  reopen(): Promise<AccessTokenStore>;
  cleanUp(): Promise<void>;
}

const token = (id: string, createdAtMs = 1, personId = "ada"): AccessToken => ({
  id,
  hash: Buffer.from(`hash-${id}`),
  personId,
  generation: 2,
  name: "'; drop table access_tokens; --",
  scopes: ["keys:read", "usage:read"],
  createdAtMs,
  expiresAtMs: 1000,
  lastUsedAtMs: null,
  revokedAtMs: null,
});

const CHANGE = ownChange("access_token.test", { kind: "access_token", id: "a" }, null, 1);

const revokedAt =
  (ms: number) =>
  (record: AccessToken): AccessToken => ({ ...record, revokedAtMs: Math.min(record.revokedAtMs ?? ms, ms) });

/** Contract tests for every implementation of this port. */
export function accessTokenStoreContract(name: string, open: () => Promise<AccessTokenStoreFixture>): void {
  describe(`${name} implements AccessTokenStore`, () => {
    let fixture: AccessTokenStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    updateContract<AccessToken>("revoke", () => ({
      id: "a",
      record: token("a"),
      add: () => fixture.store.add(token("a"), CHANGE),
      update: (id, make) => fixture.store.revoke(id, make),
      first: revokedAt(50),
      second: revokedAt(60),
      find: (id) => fixture.store.find(id),
      findAfterRestart: async (id) => (await fixture.reopen()).find(id),
      auditLog: () => fixture.auditLog(),
    }));

    test("finds a token as it was added, even after a restart", async () => {
      await fixture.store.add(token("a"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(store.find("a")).toEqual(token("a"));
        expect(store.find("b")).toBeUndefined();
      }
    });

    test("rejects a duplicate id", async () => {
      await fixture.store.add(token("a"), CHANGE);
      const [second] = await Promise.allSettled([fixture.store.add({ ...token("a"), name: "other" }, CHANGE)]);
      expect(second.status).toBe("rejected");
      expect(fixture.store.find("a")).toEqual(token("a"));
    });

    test("a revocation is in force and durable when it is confirmed, and a use meanwhile does not undo it", async () => {
      await fixture.store.add(token("a"), CHANGE);
      const revoking = fixture.store.revoke("a", (current) => ({ record: revokedAt(50)(current!), change: CHANGE }));
      fixture.store.touch(token("a"), 100);
      await revoking;
      expect(fixture.store.find("a")?.revokedAtMs).toBe(50);
      expect((await fixture.reopen()).find("a")?.revokedAtMs).toBe(50);
    });

    test("records a use once a minute, and a clean restart keeps it", async () => {
      await fixture.store.add(token("a"), CHANGE);
      fixture.store.touch(token("a"), 100);
      fixture.store.touch(token("a"), 60_099);
      expect(fixture.store.find("a")?.lastUsedAtMs).toBe(100);
      fixture.store.touch(token("a"), 60_100);
      expect((await fixture.reopen()).find("a")?.lastUsedAtMs).toBe(60_100);
    });

    test("lists a person's newest first, and no one else's", async () => {
      await fixture.store.add(token("a", 1), CHANGE);
      await fixture.store.add(token("b", 2), CHANGE);
      await fixture.store.add(token("c", 3, "bob"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(store.listOf("ada").map(({ id }) => id)).toEqual(["b", "a"]);
        expect(store.listOf("bob").map(({ id }) => id)).toEqual(["c"]);
      }
    });

    test("lists the tokens of services newest first, and no person's", async () => {
      await fixture.store.add(token("a", 1, "service:ci"), CHANGE);
      await fixture.store.add(token("b", 2), CHANGE);
      await fixture.store.add(token("c", 3, "service:report"), CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) expect(store.listOfServices().map(({ id }) => id)).toEqual(["c", "a"]);
    });
  });
}
