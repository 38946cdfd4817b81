import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandRunner, type CommandRunner } from "../commands/command-runner.ts";
import { fakeNames } from "../egress/fake-names.ts";
import { dialledElsewhere, listenOnLoopback, type LoopbackListeners } from "../egress/loopback-listeners.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { startBadReceiver, verified, type BadReceiver } from "./receiver.ts";

/** Host names with their successive DNS answers. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "metadata.test": [["169.254.169.254"]],
  "inside.test": [["10.0.0.7"]],
  "both.test": [["93.184.215.14", "127.0.0.1"]],
  "rebound.test": [["127.0.0.1"], ["169.254.169.254"]],
};

let listeners: LoopbackListeners;
let receiver: BadReceiver;
let gateway: RunningGateway;
let tollgate: CommandRunner;
beforeAll(async () => {
  listeners = await listenOnLoopback();
  receiver = await startBadReceiver();
  gateway = await startGateway({ env: fakeNames(NAMES) });
  tollgate = commandRunner(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.stop();
  listeners.stop();
});

interface Webhook {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

interface Delivery {
  readonly id: number;
  readonly message_id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: readonly { readonly status: number | null; readonly problem: string | null; readonly duration_ms: number }[];
}

function make(body: object): Promise<Webhook> {
  return gateway.platform("POST", "/api/webhooks", { name: "test", ...body });
}

function makeAt(path: string): Promise<Webhook> {
  return make({ url: `${receiver.origin}${path}`, allow_private: true });
}

async function refused(body: object): Promise<string> {
  const answer: unknown = await make(body).catch((error: Error) => JSON.parse(error.message) as { detail: string });
  return (answer as { detail: string }).detail;
}

function testIt({ id }: Webhook): Promise<Delivery> {
  return gateway.platform("POST", `/api/webhooks/${id}/test`);
}

async function deliveriesOf({ id }: Webhook, query = ""): Promise<{ data: readonly Delivery[]; next: string | null }> {
  return gateway.platform("GET", `/api/webhooks/${id}/deliveries${query}`);
}

describe("forbidden webhook URLs", () => {
  test.each([
    ["https://169.254.169.254/latest/meta-data", true, "169.254.169.254 is a link-local address, and is never called"],
    ["https://[fd00:ec2::254]/", true, "fd00:ec2::254 is the metadata service of a cloud, and is never called"],
    ["https://10.0.0.7/", false, "10.0.0.7 is a private address, which needs allow_private: true"],
    ["https://localhost/", false, "127.0.0.1 is a loopback address, which needs allow_private: true"],
    ["http://inside.test/", true, "must be https://; http:// is only allowed for this machine"],
    ["http://127.0.0.1/", false, "must be https://; http:// is only allowed for this machine"],
    ["file:///etc/passwd", true, "must be an https:// address"],
  ])("%s is rejected at creation and at an update", async (url, allowPrivate, problem) => {
    expect(await refused({ url, allow_private: allowPrivate })).toContain(problem);
    const good = await make({ url: "https://hooks.example/", allow_private: allowPrivate });
    const change = gateway.platform("PATCH", `/api/webhooks/${good.id}`, { url }).catch(String);
    expect(await change).toContain(problem);
    await gateway.platform("DELETE", `/api/webhooks/${good.id}`);
  });

  test.each([
    ["metadata.test", true, "169.254.169.254 is a link-local address, and is never called"],
    ["inside.test", false, "10.0.0.7 is a private address, which needs allow_private: true"],
    ["both.test", false, "127.0.0.1 is a loopback address, which needs allow_private: true"],
  ])("%s is rejected at connection time", async (name, allowPrivate, problem) => {
    const webhook = await make({ url: `https://${name}:${listeners.port}/`, allow_private: allowPrivate });
    const { state, attempts } = await testIt(webhook);
    expect([state, attempts]).toMatchObject([
      "failed",
      [{ status: null, problem: `It cannot be reached: ${name} is not called: ${problem}` }],
    ]);
    expect([await listeners.accepted(), dialledElsewhere(listeners.port)]).toEqual([0, []]);
  });

  test("rejects a host name that rebinds to a forbidden address at the next call", async () => {
    const webhook = await make({ url: `https://rebound.test:${listeners.port}/`, allow_private: true });
    const first = await testIt(webhook);
    expect(first.attempts[0]!.problem).not.toContain("is not called");
    const second = await testIt(webhook);
    expect(second.attempts[0]!.problem).toContain("rebound.test is not called: 169.254.169.254");
  });
});

test("the test sends a signed message immediately, returns the result, and appears in the delivery log", async () => {
  const webhook = await makeAt("/fails/1/button");
  const [bad, good] = [await testIt(webhook), await testIt(webhook)];
  expect([bad, good]).toMatchObject([
    { type: "webhook.test", state: "failed", attempts: [{ status: 500, problem: "It returned status 500." }] },
    { type: "webhook.test", state: "delivered", attempts: [{ status: 204, problem: null }] },
  ]);
  const received = await receiver.seen("/fails/1/button");
  expect(received.map((each) => verified(each, webhook.secret))).toMatchObject([
    { type: "webhook.test", data: { webhook: { id: webhook.id, name: "test" } } },
    { type: "webhook.test" },
  ]);
  expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([bad.message_id, good.message_id]);
  expect((await deliveriesOf(webhook)).data).toEqual([good, bad]);
  const page = await deliveriesOf(webhook, "?limit=1");
  expect([page.data, (await deliveriesOf(webhook, `?limit=1&cursor=${page.next}`)).data]).toEqual([[good], [bad]]);
  expect((await deliveriesOf(webhook, "?state=failed")).data).toEqual([bad]);
});

test("a delivery is redelivered under its id, but not while the webhook is paused, nor one of another webhook", async () => {
  const webhook = await makeAt("/fails/1/again");
  const other = await makeAt("/fine/0/again");
  const { id, message_id: message } = await testIt(webhook);
  const again = (of: Webhook): Promise<unknown> =>
    gateway.platform("POST", `/api/webhooks/${of.id}/deliveries/${id}/redeliver`).catch((error: Error) => error.message);
  expect(await again(other)).toContain("unknown_delivery");
  await gateway.platform("PATCH", `/api/webhooks/${webhook.id}`, { paused: true });
  expect(await again(webhook)).toContain("state_conflict");
  await gateway.platform("PATCH", `/api/webhooks/${webhook.id}`, { paused: false });
  expect(await again(webhook)).toMatchObject({ id, state: "pending" });
  await eventually(
    async () => (await deliveriesOf(webhook)).data[0]!,
    ({ state }) => state === "delivered",
  );
  expect((await receiver.seen("/fails/1/again")).map(({ headers }) => headers["webhook-id"])).toEqual([message, message]);
});

test("a rotated secret signs together with the old one, or alone", async () => {
  const webhook = await makeAt("/fine/0/rotated");
  const rotate = (body: object): Promise<Webhook> => gateway.platform("POST", `/api/webhooks/${webhook.id}/rotate-secret`, body);
  const second = await rotate({});
  await testIt(webhook);
  const third = await rotate({ grace_period_seconds: 0 });
  await testIt(webhook);
  const [both, alone] = await receiver.seen("/fine/0/rotated");
  for (const { secret } of [webhook, second]) expect(verified(both!, secret)).toBeObject();
  expect(verified(alone!, third.secret)).toBeObject();
  for (const { secret } of [webhook, second]) expect(() => verified(alone!, secret)).toThrow();
});

test("the secret is only in the reply that created it, also for a repeated Idempotency-Key", async () => {
  const create = (): Promise<Response> =>
    fetch(`${gateway.platformUrl}/api/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json", "idempotency-key": "once" },
      body: JSON.stringify({ name: "once", url: "https://hooks.example/once" }),
    });
  const made = (await (await create()).json()) as Webhook;
  expect(await (await create()).json()).toEqual({ ...made, secret: null });
  const shown = await gateway.platform<object>("GET", `/api/webhooks/${made.id}`);
  const log = await gateway.platform<object>("GET", "/api/audit-log?kind=webhook&limit=1000");
  const list = await gateway.platform<object>("GET", "/api/webhooks?limit=1000");
  for (const each of [shown, log, list, gateway.output()]) expect(JSON.stringify(each)).not.toContain(made.secret);
  expect(shown).toEqual({
    id: made.id,
    name: "once",
    kind: "webhook",
    url: "https://hooks.example/once",
    allow_private: false,
    alerts: null,
    paused: false,
    paused_because: null,
    previous_secret_signs_until: null,
    created_at: expect.any(String) as string,
  });
});

test("the command line supports all operations", async () => {
  const { id } = await tollgate.json<Webhook>(`webhooks create --name 'on call' --url ${receiver.origin}/gone/1/cli --allow-private yes`);
  const failed = await tollgate.run(`webhooks test ${id}`);
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringContaining("the message was not accepted: It returned status 410: the webhook is gone permanently."),
  ]);
  expect(await tollgate.text(`webhooks test ${id}`)).toMatch(/^Status 204 for msg_\w+ in \d+ ms\.\n$/);
  expect(await tollgate.text(`webhooks update ${id} --alerts credit.low,cap.near --paused yes`)).toMatch(
    /^Webhook +webhook_\w+ \(on call\)\nKind +webhook\nURL [^]*\nAlerts +credit\.low, cap\.near\nState +paused: an operator has paused it\n/,
  );
  expect(await tollgate.text("webhooks list")).toContain(`${id}  webhook  paused  `);
  expect(await tollgate.text(`webhooks update ${id} --alerts all --paused no`)).toMatch(/\nAlerts +all\nState +active\n/);
  expect(await tollgate.text(`audit log --id ${id} --action webhook.update`)).toContain("alerts: credit.low, cap.near → all");
  for (const wrong of ["none", "credit.low,credit.hihg"]) {
    const rejected = await tollgate.run(`webhooks update ${id} --alerts ${wrong}`);
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringContaining("--alerts must be all, or one or more of credit.low, ") as string,
    ]);
  }
  expect(await tollgate.text("webhooks list")).toContain(id);
  expect(await tollgate.text(`webhooks show ${id}`)).toContain("on call");
  const [delivery] = (await tollgate.json<{ data: Delivery[] }>(`webhooks deliveries ${id} --state failed`)).data;
  expect(await tollgate.text(`webhooks deliveries ${id}`)).toMatch(/\n\d+ +\S+ \S+ +webhook\.test +failed +1 +- +It returned status 410/);
  expect(await tollgate.text(`webhooks redeliver ${id} ${delivery!.id}`)).toContain(delivery!.message_id);
  expect(await tollgate.text(`webhooks rotate-secret ${id} --grace-period 7d`)).toMatch(/^whsec_[^]* also signs until /);
  expect(await tollgate.text(`webhooks remove ${id}`)).toBe(`Removed ${id}.\n`);
  expect((await tollgate.run(`webhooks show ${id}`)).stderr).toContain("There is no webhook");
  expect(await tollgate.text("accounts update default --low-credit 25")).toMatch(/\nLow-credit alert +below \$25\.00\n/);
  expect(await tollgate.text("accounts update default --low-credit none")).toMatch(/\nLow-credit alert +at zero\n/);
});
