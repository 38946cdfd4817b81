import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { makeWebhook, rotateSecret, type Webhook } from "../../alerts/webhook.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { removalContract, updateContract } from "../update.contract.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface WebhookStoreFixture {
  readonly store: WebhookStore;
  auditLog(): AuditLogStore;
  reopen(): Promise<WebhookStore>;
  cleanUp(): Promise<void>;
}

export const WEBHOOK_CHANGE = ownChange("webhook.test", { kind: "webhook", id: "w" }, null, 1);

export function webhook(changes: Partial<Webhook> = {}): Webhook {
  const wanted = { name: "on 'call'", url: "https://hooks.example/a", allowPrivate: false, kinds: null, paused: null };
  return { ...makeWebhook(wanted, 5_000), ...changes };
}

export const putWebhook = (store: WebhookStore, record: Webhook): Promise<unknown> =>
  store.update(record.id, () => ({ record, change: WEBHOOK_CHANGE }));

/** Contract tests for every implementation of this port. */
export function webhookStoreContract(name: string, open: () => Promise<WebhookStoreFixture>): void {
  describe(`${name} implements WebhookStore`, () => {
    let fixture: WebhookStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    const record = webhook();
    const cases = {
      id: record.id,
      record,
      add: () => putWebhook(fixture.store, record),
      find: (id: string) => fixture.store.find(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).find(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<Webhook>("update", () => ({
      ...cases,
      update: (id, make) => fixture.store.update(id, make),
      first: (current) => ({ ...current, name: "other" }),
      second: (current) => ({ ...current, paused: "so" }),
    }));
    removalContract<Webhook>("remove", () => ({ ...cases, remove: (id, make) => fixture.store.remove(id, make) }));

    test("finds a webhook with its secrets, even after a restart", async () => {
      const plain = webhook();
      const rotated = rotateSecret(webhook({ kinds: ["credit.low", "cap.near"], paused: "so", allowPrivate: true }), 9_000, 6_000);
      for (const each of [plain, rotated]) await putWebhook(fixture.store, each);
      for (const store of [fixture.store, await fixture.reopen()]) {
        expect([store.find(plain.id), store.find(rotated.id), store.find("nobody")]).toEqual([plain, rotated, undefined]);
        const stored = store.find(rotated.id)!;
        expect([stored.secret.reveal(), stored.previous?.secret.reveal()]).toEqual([
          rotated.secret.reveal(),
          rotated.previous!.secret.reveal(),
        ]);
        expect(store.list().map(({ id }) => id)).toEqual([plain.id, rotated.id].toSorted());
      }
    });

    test("replaces a changed webhook, and deletes a removed one", async () => {
      const first = webhook();
      await putWebhook(fixture.store, first);
      await putWebhook(fixture.store, { ...first, name: "other" });
      const second = webhook();
      await putWebhook(fixture.store, second);
      await fixture.store.remove(second.id, () => ({ change: WEBHOOK_CHANGE }));
      for (const store of [fixture.store, await fixture.reopen()]) expect(store.list()).toEqual([{ ...first, name: "other" }]);
    });
  });
}
