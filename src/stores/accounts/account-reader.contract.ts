import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { makeAccount, type Account } from "../../access/account.ts";
import { ownChange } from "../../access/change.ts";
import type { AccountReader, AccountStore } from "./account-store.ts";

/** A reader under test, and the store whose accounts it reads. */
export interface AccountReaderFixture {
  readonly store: AccountStore;
  readonly reader: AccountReader;
  /** Applies the declarations of the config file. */
  declare(accounts: readonly Account[]): Promise<void>;
  /** Resolves when the reader has every change of the store. */
  propagated(): Promise<void>;
  cleanUp(): Promise<void>;
}

const CHANGE = ownChange("account.test", { kind: "account", id: "acme" }, null, 1);

const account = (id: string): Account => ({
  ...makeAccount(id, `'; drop table accounts; -- ${id}`, 1),
  models: ["gpt-*", 'a"b'],
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: null, totalNanos: 0n },
  lowCreditNanos: 9_007_199_254_740_993n,
  logBodies: true,
  showCredit: false,
});

/** Contract tests for every reader of accounts. */
export function accountReaderContract(name: string, open: () => Promise<AccountReaderFixture>): void {
  describe(`${name} implements AccountReader`, () => {
    let fixture: AccountReaderFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    const put = async (record: Account): Promise<void> => {
      await fixture.store.update(record.id, () => ({ record, change: CHANGE }));
      await fixture.propagated();
    };

    test("finds an account exactly as it is now, and no other", async () => {
      const { reader } = fixture;
      await put(account("acme"));
      expect(reader.find("acme")).toStrictEqual(account("acme"));
      await put(makeAccount("acme", "B", 2));
      expect([reader.find("acme"), reader.find("Acme")]).toStrictEqual([makeAccount("acme", "B", 2), undefined]);
    });

    test("a removed account is unknown", async () => {
      await put(account("acme"));
      await fixture.store.remove("acme", () => ({ change: CHANGE }));
      await fixture.propagated();
      expect(fixture.reader.find("acme")).toBeUndefined();
    });

    test("finds the accounts of the config file", async () => {
      await fixture.declare([account("beta")]);
      await fixture.propagated();
      expect(fixture.reader.find("beta")).toStrictEqual(account("beta"));
    });

    test("returns the same object until the account changes, and another one then", async () => {
      const { reader } = fixture;
      await put(account("acme"));
      const before = reader.find("acme");
      await put(account("beta"));
      expect(reader.find("acme")).toBe(before);
      await put({ ...account("acme"), name: "B" });
      expect(reader.find("acme")).not.toBe(before);
    });
  });
}
