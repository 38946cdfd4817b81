import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { openStoresIn } from "../../../test/support/gateway/store-options.ts";
import { ownChange } from "../../access/change.ts";
import { disabled, makePerson, type Person } from "../../access/person.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { SqlPersonStore } from "./sql-person-store.ts";
import { personStoreContract } from "./person-store.contract.ts";

personStoreContract("SqlPersonStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-people-"));
  let stores = await openStoresIn(folder);
  return {
    store: stores.people,
    auditLog: () => stores.auditLog,
    async reopen() {
      await stores.close();
      stores = await openStoresIn(folder);
      return stores.people;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("while the database cannot be written, nobody gains access, and removed access stays removed and can be retried", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-people-"));
  const database = openSqlite(join(folder, "people.db"));
  await migrate(database);
  const store = await SqlPersonStore.open(database);
  const change = ownChange("person.test", { kind: "person", id: "a" }, null, 1);
  const put = (record: Person): Promise<unknown> => store.update(record.id, () => ({ record, change }));
  const wanted = { name: "A", role: "operator", accountId: null, invitation: null } as const;
  const ada = makePerson({ ...wanted, email: "ada@example.test" }, 1);
  const bob = disabled(makePerson({ ...wanted, email: "bob@example.test" }, 2), 3);
  await put(ada);
  await put(bob);

  await sql`pragma query_only = on`.execute(database);
  const eve = makePerson({ ...wanted, email: "eve@example.test" }, 4);
  for (const failing of [eve, { ...bob, disabledAtMs: null }, disabled({ ...ada, name: "B" }, 5)]) {
    expect(await put(failing).catch((error: unknown) => error)).toBeInstanceOf(Error);
  }
  expect([store.find(eve.id), store.findByEmail(eve.email)]).toEqual([undefined, undefined]);
  expect(store.find(bob.id)).toEqual(bob);
  expect(store.find(ada.id)).toEqual(disabled(ada, 5));
  expect(await store.list()).toEqual([disabled(ada, 5), bob]);

  await sql`pragma query_only = off`.execute(database);
  await put(store.find(ada.id)!);
  expect((await SqlPersonStore.open(database)).find(ada.id)).toEqual(disabled(ada, 5));
  await database.destroy();
  rmSync(folder, { recursive: true });
});
