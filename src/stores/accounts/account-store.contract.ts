import { readRates } from "../../money/limits.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT, makeAccount, type Account } from "../../access/account.ts";
import { ownChange } from "../../access/change.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import type { PreparedWrite } from "../database.ts";
import { removalContract, updateContract } from "../update.contract.ts";
import type { AccountStore } from "./account-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface AccountStoreFixture {
  readonly store: AccountStore;
  /** Commits a write that the store has prepared. */
  make(prepared: PreparedWrite): Promise<void>;
  auditLog(): AuditLogStore;
  reopen(): Promise<AccountStore>;
  cleanUp(): Promise<void>;
}

const account = (id: string): Account => ({
  id,
  name: `'; drop table accounts; -- ${id}`,
  createdAtMs: 1,
  models: ["gpt-*", 'a"b'],
  limits: readRates({ requests_per_minute: 60, concurrent_requests: 3 }),
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: null, totalNanos: 0n },
  creditLine: 999_999_999_999_999_999n,
  lowCreditNanos: 9_007_199_254_740_993n,
  logBodies: true,
  attribution: { identities: "hashed", metadataTags: ["team"], conversationKey: "thread" },
  showCredit: false,
  priceList: "partners",
  archivedAtMs: 1_900_000_000_123,
});

const CHANGE = ownChange("account.test", { kind: "account", id: "acme" }, null, 1);

const put = (store: AccountStore, record: Account): Promise<unknown> => store.update(record.id, () => ({ record, change: CHANGE }));

/** Contract tests for every implementation of this port. */
export function accountStoreContract(name: string, open: () => Promise<AccountStoreFixture>): void {
  describe(`${name} implements AccountStore`, () => {
    let fixture: AccountStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    const stored = {
      id: "acme",
      record: account("acme"),
      add: () => put(fixture.store, account("acme")),
      find: (id: string) => fixture.store.find(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).find(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<Account>("update", () => ({
      ...stored,
      update: (id, make) => fixture.store.update(id, make),
      first: (record) => ({ ...record, name: "b" }),
      second: (record) => ({ ...record, models: ["*"] }),
    }));
    removalContract<Account>("remove", () => ({ ...stored, remove: (id, make) => fixture.store.remove(id, make) }));

    test("of two concurrent creations with the same id, the second finds it taken", async () => {
      const create = (called: string): Promise<unknown> =>
        fixture.store.update("acme", (current) => (current ? undefined : { record: { ...account("acme"), name: called }, change: CHANGE }));
      const [first, second] = await Promise.all([create("a"), create("b")]);
      expect([first, second].filter((made) => made !== undefined)).toEqual([{ record: fixture.store.find("acme"), change: CHANGE }]);
    });

    test("finds an account as it was put", async () => {
      await put(fixture.store, account("acme"));
      expect(fixture.store.find("acme")).toEqual(account("acme"));
      expect(fixture.store.find("Acme")).toBeUndefined();
    });

    test("replaces a changed account, at once and durably", async () => {
      await put(fixture.store, account("acme"));
      const changed: Account = { ...makeAccount("acme", "B", 1), caps: { dayNanos: null, monthNanos: 5n, totalNanos: null } };
      await put(fixture.store, changed);
      expect(fixture.store.find("acme")).toEqual(changed);
      expect((await fixture.reopen()).find("acme")).toEqual(changed);
    });

    test("lists every account", async () => {
      for (const id of ["b", "c", "a"]) await put(fixture.store, account(id));
      const listed = (await fixture.store.list()).map(({ id }) => id);
      expect(listed.filter((id) => id !== DEFAULT_ACCOUNT).toSorted()).toEqual(["a", "b", "c"]);
    });

    test("an account belongs to the file while the file declares it, and then to the operators, unchanged", async () => {
      await put(fixture.store, account("beta"));
      const declared = { account: account("acme"), change: CHANGE };
      await fixture.make(fixture.store.prepare([declared, { account: account("beta"), change: undefined }]));
      expect(["acme", "beta", "gamma"].map((id) => fixture.store.originOf(id))).toEqual(["file", "file", "operator"]);
      const changed = { ...account("acme"), name: "changed" };
      await fixture.make(fixture.store.prepare([{ account: changed, change: CHANGE }]));
      expect(["acme", "beta"].map((id) => fixture.store.originOf(id))).toEqual(["file", "operator"]);
      await fixture.make(fixture.store.prepare([]));
      expect([fixture.store.find("acme"), fixture.store.originOf("acme")]).toEqual([changed, "operator"]);
      expect((await fixture.reopen()).find("acme")).toEqual(changed);
    });

    test("confirmed writes survive a restart", async () => {
      await put(fixture.store, account("acme"));
      await put(fixture.store, account("beta"));
      const reopened = await fixture.reopen();
      expect(reopened.find("acme")).toEqual(account("acme"));
      expect(reopened.find("beta")).toEqual(account("beta"));
    });
  });
}
