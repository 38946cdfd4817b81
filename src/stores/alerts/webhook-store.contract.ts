import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { makeWebhook, rotateSecret, type Webhook } from "../../alerts/webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface WebhookStoreFixture {
  readonly store: WebhookStore;
  reopen(): Promise<WebhookStore>;
  cleanUp(): Promise<void>;
}

export const WEBHOOK_CHANGE = ownChange("webhook.test", { kind: "webhook", id: "w" }, null, 1);

export function webhook(changes: Partial<Webhook> = {}): Webhook {
  const wanted = { name: "on 'call'", url: "https://hooks.example/a", allowPrivate: false, kinds: null, paused: null };
  return { ...makeWebhook(wanted, 5_000), ...changes };
}

/** What every implementation of the port must do. */
export function webhookStoreContract(name: string, open: () => Promise<WebhookStoreFixture>): void {
  describe(`${name} implements WebhookStore`, () => {
    let fixture: WebhookStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    test("finds a webhook with its secrets, also after a restart", async () => {
      const plain = webhook();
      const rotated = rotateSecret(webhook({ kinds: ["credit.low", "cap.near"], paused: "so", allowPrivate: true }), 9_000, 6_000);
      for (const each of [plain, rotated]) await fixture.store.put(each, WEBHOOK_CHANGE);
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
      await fixture.store.put(first, WEBHOOK_CHANGE);
      await fixture.store.put({ ...first, name: "other" }, WEBHOOK_CHANGE);
      const second = webhook();
      await fixture.store.put(second, WEBHOOK_CHANGE);
      await fixture.store.remove(second.id, WEBHOOK_CHANGE);
      for (const store of [fixture.store, await fixture.reopen()]) expect(store.list()).toEqual([{ ...first, name: "other" }]);
    });
  });
}
