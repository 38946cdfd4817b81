import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { makeSavedView, type SavedView } from "../../access/saved-view.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { removalContract, updateContract } from "../update.contract.ts";
import type { SavedViewStore } from "./saved-view-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface SavedViewStoreFixture {
  readonly store: SavedViewStore;
  auditLog(): AuditLogStore;
  reopen(): Promise<SavedViewStore>;
  cleanUp(): Promise<void>;
}

const CHANGE = ownChange("saved_view.test", { kind: "saved_view", id: "v" }, null, 1);

function savedView(changes: Partial<SavedView> = {}): SavedView {
  const wanted = { personId: "person_ada", name: "Failed 'today'", page: "/requests", query: "outcome=failed&from=today" };
  return { ...makeSavedView(wanted, 5000), ...changes };
}

const put = (store: SavedViewStore, record: SavedView): Promise<unknown> => store.update(record.id, () => ({ record, change: CHANGE }));

/** Contract tests for every implementation of this port. */
export function savedViewStoreContract(name: string, open: () => Promise<SavedViewStoreFixture>): void {
  describe(`${name} implements SavedViewStore`, () => {
    let fixture: SavedViewStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    const record = savedView();
    const cases = {
      id: record.id,
      record,
      add: () => put(fixture.store, record),
      find: (id: string) => fixture.store.find(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).find(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<SavedView>("update", () => ({
      ...cases,
      update: (id, make) => fixture.store.update(id, make),
      first: (current) => ({ ...current, name: "other" }),
      second: (current) => ({ ...current, query: "by=key" }),
    }));
    removalContract<SavedView>("remove", () => ({ ...cases, remove: (id, make) => fixture.store.remove(id, make) }));

    test("lists a person's views by name, even after a restart", async () => {
      const [zeta, alpha] = [savedView({ name: "zeta" }), savedView({ name: "alpha", page: "/", query: "" })];
      for (const each of [zeta, alpha, savedView({ personId: "person_bob" })]) await put(fixture.store, each);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect(store.listOf("person_ada")).toEqual([alpha, zeta]);
        expect(store.listOf("person_eve")).toEqual([]);
      }
    });
  });
}
