import { expect, test } from "bun:test";
import type { AlertStore, DueDelivery } from "../../stores/alerts/alert-store.ts";
import type { WebhookStore } from "../../stores/alerts/webhook-store.ts";
import { makeWebhook } from "../webhook.ts";
import type { WebhookAnswer } from "../webhook-call.ts";
import { Deliverer } from "./deliverer.ts";

const TAKEN: WebhookAnswer = { status: 204, problem: null, retryAfterMs: null };

test("does not send a delivery twice that ends during a poll, and sends the ones after it", async () => {
  const webhook = makeWebhook({ name: "a", url: "https://hooks.example/", allowPrivate: false, kinds: null, paused: null }, 0);
  const pending = new Map<number, DueDelivery>();
  const add = (id: number): void => void pending.set(id, { id, alertId: `msg_${id}`, body: "{}", attemptsMade: 0 });
  const firstAnswer = Promise.withResolvers<WebhookAnswer>();
  const secondRead = Promise.withResolvers<void>();
  let reads = 0;
  const alerts = {
    async due() {
      const due = [...pending.values()];
      if (++reads === 2) await secondRead.promise;
      return due;
    },
    async recordAttempt(id: number) {
      pending.delete(id);
    },
  };
  const sent: string[] = [];
  const deliverer = new Deliverer({
    webhooks: { list: () => [webhook], find: () => webhook } as unknown as WebhookStore,
    alerts: alerts as unknown as AlertStore,
    call: async ({ headers }) => (sent.push(headers["webhook-id"]!) === 1 ? firstAnswer.promise : TAKEN),
    nowMs: () => 0,
    report: () => undefined,
  });
  add(1);
  const first = deliverer.sendDue();
  await Bun.sleep(0);
  add(2);
  const second = deliverer.sendDue();
  firstAnswer.resolve(TAKEN);
  await first;
  secondRead.resolve();
  await second;
  expect(sent).toEqual(["msg_1", "msg_2"]);
});
