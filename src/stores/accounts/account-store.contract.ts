import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT, makeAccount, type Account } from "../../access/account.ts";
import { ownChange } from "../../access/change.ts";
import type { PreparedWrite } from "../database.ts";
import type { AccountStore } from "./account-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface AccountStoreFixture {
  readonly store: AccountStore;
  /** Makes what the store has prepared. */
  make(prepared: PreparedWrite): void;
  reopen(): Promise<AccountStore>;
  cleanUp(): Promise<void>;
}

const account = (id: string): Account => ({
  id,
  name: `'; drop table accounts; -- ${id}`,
  createdAtMs: 1,
  models: ["gpt-*", 'a"b'],
  limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrentRequests: 3 },
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: null, totalNanos: 0n },
  lowCreditNanos: 9_007_199_254_740_993n,
  logBodies: true,
});

const CHANGE = ownChange("account.test", { kind: "account", id: "acme" }, null, 1);

/** What every implementation of the port must do. */
export function accountStoreContract(name: string, open: () => Promise<AccountStoreFixture>): void {
  describe(`${name} implements AccountStore`, () => {
    let fixture: AccountStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    test("finds an account as it was put", async () => {
      await fixture.store.put(account("acme"), CHANGE);
      expect(fixture.store.find("acme")).toEqual(account("acme"));
      expect(fixture.store.find("Acme")).toBeUndefined();
    });

    test("replaces a changed account, at once and durably", async () => {
      await fixture.store.put(account("acme"), CHANGE);
      const changed: Account = { ...makeAccount("acme", "B", 1), caps: { dayNanos: null, monthNanos: 5n, totalNanos: null } };
      await fixture.store.put(changed, CHANGE);
      expect(fixture.store.find("acme")).toEqual(changed);
      expect((await fixture.reopen()).find("acme")).toEqual(changed);
    });

    test("lists every account, by id", async () => {
      for (const id of ["b", "c", "a"]) await fixture.store.put(account(id), CHANGE);
      const listed = (await fixture.store.list()).map(({ id }) => id);
      expect(listed.filter((id) => id !== DEFAULT_ACCOUNT)).toEqual(["a", "b", "c"]);
      expect(listed).toEqual(listed.toSorted());
    });

    test("an account belongs to the file while the file declares it, and then to the operators, unchanged", async () => {
      await fixture.store.put(account("beta"), CHANGE);
      const declared = { account: account("acme"), change: CHANGE };
      fixture.make(fixture.store.prepare([declared, { account: account("beta"), change: undefined }]));
      expect(["acme", "beta", "gamma"].map((id) => fixture.store.originOf(id))).toEqual(["file", "file", "operator"]);
      const changed = { ...account("acme"), name: "changed" };
      fixture.make(fixture.store.prepare([{ account: changed, change: CHANGE }]));
      expect(["acme", "beta"].map((id) => fixture.store.originOf(id))).toEqual(["file", "operator"]);
      fixture.make(fixture.store.prepare([]));
      expect([fixture.store.find("acme"), fixture.store.originOf("acme")]).toEqual([changed, "operator"]);
      expect((await fixture.reopen()).find("acme")).toEqual(changed);
    });

    test("confirmed writes survive a restart", async () => {
      await fixture.store.put(account("acme"), CHANGE);
      await fixture.store.put(account("beta"), CHANGE);
      const reopened = await fixture.reopen();
      expect(reopened.find("acme")).toEqual(account("acme"));
      expect((await reopened.list()).filter(({ id }) => id !== DEFAULT_ACCOUNT)).toEqual([account("acme"), account("beta")]);
    });
  });
}
