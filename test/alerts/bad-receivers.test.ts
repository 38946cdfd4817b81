import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { MAX_ATTEMPTS } from "../../src/alerts/delivery/deliverer.ts";
import type { Delivery } from "../../src/stores/alerts/alert-store.ts";
import type { Webhook } from "../../src/alerts/webhook.ts";
import { eventually } from "../support/eventually.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { ClockedAlerts } from "./clocked-alerts.ts";
import { startBadReceiver, verified, type BadReceiver } from "./receiver.ts";

/** For calls that must end by their timeout. All other calls have ample time. */
const SHORT_TIMEOUT_MS = 3000;
const HOUR_MS = 3_600_000;

let receiver: BadReceiver;
let alerts: ClockedAlerts;
beforeAll(async () => {
  receiver = await startBadReceiver();
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  alerts = await ClockedAlerts.open();
});
afterEach(() => alerts.stop());

async function shortenTimeout(): Promise<void> {
  await alerts.stop();
  alerts = await ClockedAlerts.open(SHORT_TIMEOUT_MS);
}

let named = 0;
/** A webhook with its own path, whose receiver misbehaves this many times. */
function badWebhook(behaviour: string, times: number): Promise<Webhook> {
  return alerts.addWebhook(`${receiver.origin}/${behaviour}/${times}/${named++}`);
}

function pathOf({ url }: Webhook): string {
  return new URL(url).pathname;
}

async function deliveriesOf({ id }: Webhook): Promise<readonly Delivery[]> {
  return alerts.stores.alerts.deliveries(id, undefined, Number.MAX_SAFE_INTEGER, 1000);
}

/** Sends due deliveries and advances the clock, until no delivery is left or after this many attempts. */
async function sendAll(webhooks: readonly Webhook[], times = 99): Promise<void> {
  for (let round = 0; round < times; round++) {
    await alerts.deliverer.sendDue();
    const next = (await Promise.all(webhooks.map(deliveriesOf))).flat().flatMap(({ nextAttemptAtMs }) => nextAttemptAtMs ?? []);
    if (next.length === 0) return;
    alerts.clock.nowMs = Math.min(...next);
  }
}

type ReceiverBehaviours = Readonly<Record<string, readonly [status: number | null, problem: RegExp]>>;

const PROMPT: ReceiverBehaviours = {
  fails: [500, /^It returned status 500\.$/],
  redirects: [302, /^It returned status 302: a redirect, which is not followed\.$/],
  busy: [429, /^It returned status 429\.$/],
  closes: [null, /^The call failed: /],
  babbles: [null, /^The call failed: /],
  breaks: [500, /^It returned status 500\.$/],
};

const ENDLESS: ReceiverBehaviours = {
  hangs: [null, /^It did not respond in time: waited 3000 ms for the whole response$/],
  drips: [500, /^It returned status 500\.$/],
};

const arrives = "is delivered in the end, complete, signed, with one ID";
test(`deliveries to failing receivers: each ${arrives}`, () => expectArrival(PROMPT), 300_000);
for (const [behaviour, outcome] of Object.entries(ENDLESS)) {
  test(`a delivery to a receiver that never finishes its reply (${behaviour}) ${arrives}`, async () => {
    await shortenTimeout();
    await expectArrival({ [behaviour]: outcome });
  }, 300_000);
}

/** How many times each receiver misbehaves. */
const FAILURES = 2;

async function expectArrival(behaviours: ReceiverBehaviours): Promise<void> {
  const webhooks = await Promise.all(Object.keys(behaviours).map((behaviour) => badWebhook(behaviour, FAILURES)));
  const alert = await alerts.raise(...webhooks);
  await sendAll(webhooks, FAILURES);
  // The short timeout is only for the calls above: the receiver may be slow to accept.
  alerts.timeoutMs = WAIT_LIMIT_MS;
  await sendAll(webhooks);
  for (const [at, [status, problem]] of Object.values(behaviours).entries()) {
    const webhook = webhooks[at]!;
    const received = await receiver.seen(pathOf(webhook));
    expect([webhook.url, received.map(({ headers }) => headers["webhook-id"])]).toEqual([webhook.url, Array(3).fill(alert.id)]);
    const bodies = received.map((each) => verified(each, webhook.secret.reveal()));
    const sent = { type: "credit.low", timestamp: "2027-03-10T12:00:00.000Z", data: alert.data };
    expect(bodies).toEqual([sent, sent, sent]);
    const [{ state, attempts }] = (await deliveriesOf(webhook)) as [Delivery];
    expect([state, ...attempts.map((made) => made.status)]).toEqual(["delivered", status, status, 204]);
    expect(attempts.map((made) => made.problem)).toEqual([expect.stringMatching(problem), expect.stringMatching(problem), null]);
    expect(attempts.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  }
  const count = webhooks.length;
  expect(await alerts.deliverer.snapshot()).toEqual({ pending: 0, delivered: count, failedAttempts: 2 * count, dropped: 0 });
}

test("does not follow redirects", async () => {
  const webhook = await badWebhook("redirects", 1);
  await alerts.raise(webhook);
  const before = (await receiver.seen("/fine/0")).length;
  await alerts.deliverer.sendDue();
  expect([await receiver.seen(pathOf(webhook)), await receiver.seen("/fine/0")].map(({ length }) => length)).toEqual([1, before]);
});

test("honours a receiver's Retry-After", async () => {
  const webhook = await badWebhook("busy", 1);
  await alerts.raise(webhook);
  await alerts.deliverer.sendDue();
  const [{ nextAttemptAtMs, attempts }] = (await deliveriesOf(webhook)) as [Delivery];
  expect(nextAttemptAtMs! - attempts[0]!.atMs).toBe(240_000);
});

test("gives up after a day and logs a message for operators", async () => {
  const webhook = await badWebhook("fails", 999);
  await alerts.raise(webhook);
  const startedAtMs = alerts.clock.nowMs;
  await sendAll([webhook]);
  const [{ state, attempts, nextAttemptAtMs }] = (await deliveriesOf(webhook)) as [Delivery];
  expect([state, attempts.length, nextAttemptAtMs]).toEqual(["failed", MAX_ATTEMPTS, null]);
  expect((alerts.clock.nowMs - startedAtMs) / HOUR_MS).toBeWithin(20, 32);
  expect(alerts.reports).toEqual([
    `the webhook ${webhook.id} did not accept an alert in ${MAX_ATTEMPTS} attempts: It returned status 500.`,
  ]);
});

describe("a receiver that responds 410", () => {
  test("is paused with an audit record, and its pending deliveries are sent when it resumes", async () => {
    const webhook = await badWebhook("gone", 1);
    await alerts.raise(webhook);
    await alerts.deliverer.sendDue();
    const paused = alerts.stores.webhooks.find(webhook.id)!;
    expect(paused.paused).toBe("it returned status 410");
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: "failed", attempts: [{ status: 410 }] });
    const [change] = await alerts.stores.auditLog.page({ action: "webhook.pause" }, Number.MAX_SAFE_INTEGER, 1);
    expect(change).toMatchObject({ target: { kind: "webhook", id: webhook.id }, before: { paused: false }, after: { paused: true } });

    await alerts.raise(webhook);
    await alerts.deliverer.sendDue();
    expect(await receiver.seen(pathOf(webhook))).toHaveLength(1);
    await alerts.stores.webhooks.update(webhook.id, () => ({ record: { ...paused, paused: null }, change: change! }));
    await alerts.deliverer.sendDue();
    expect(await receiver.seen(pathOf(webhook))).toHaveLength(2);
  });
});

test("a hanging receiver has four concurrent calls and does not block others; at shutdown they are cancelled and stay pending", async () => {
  const slow = await badWebhook("hangs", 999);
  const quick = await badWebhook("fine", 0);
  for (let at = 0; at < 30; at++) await alerts.raise(slow, quick);
  alerts.deliverer.wake();
  await eventually(
    () => receiver.seen(pathOf(quick)),
    ({ length }) => length === 30,
  );
  alerts.deliverer.wake();
  await eventually(
    () => receiver.seen(pathOf(slow)),
    ({ length }) => length === 4,
  );
  await alerts.restart();
  expect((await deliveriesOf(slow)).map(({ state, attempts }) => `${state} ${attempts.length}`)).toEqual(Array(30).fill("pending 0"));
  expect(new Set((await deliveriesOf(quick)).map(({ state }) => state))).toEqual(new Set(["delivered"]));
  expect((await receiver.seen(pathOf(slow))).length).toBe(4);
});

test("a removed webhook is not called any more, even during a call", async () => {
  await shortenTimeout();
  const webhook = await badWebhook("hangs", 1);
  await alerts.raise(webhook);
  const sending = alerts.deliverer.sendDue();
  await eventually(
    () => receiver.seen(pathOf(webhook)),
    ({ length }) => length === 1,
  );
  const { webhooks } = alerts.stores;
  const [change] = await alerts.stores.auditLog.page({}, Number.MAX_SAFE_INTEGER, 1);
  await webhooks.remove(webhook.id, () => ({ change: change! }));
  await sending;
  alerts.clock.nowMs += 48 * HOUR_MS;
  await alerts.deliverer.sendDue();
  expect([await receiver.seen(pathOf(webhook)), await deliveriesOf(webhook)].map(({ length }) => length)).toEqual([1, 0]);
});
