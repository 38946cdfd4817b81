import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandRunner } from "../commands/command-runner.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { startBadReceiver, verified, type BadReceiver, type ReceivedMessage } from "./receiver.ts";

let upstream: MockUpstream;
let receiver: BadReceiver;
let gateway: RunningGateway;
let key: { id: string; key: string };
beforeAll(async () => {
  receiver = await startBadReceiver();
  upstream = startMockUpstream({
    "up-good": () => Response.json(completion()),
    "up-bad": () => new Response("no", { status: 500 }),
  });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good", "bad"]) });
  key = await gateway.makeKey();
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.stop();
  await upstream.stop();
});

interface NewWebhook {
  readonly id: string;
  readonly secret: string;
}

interface DeliveryPage {
  readonly data: readonly {
    readonly state: string;
    readonly message_id: string;
    readonly attempts: readonly { readonly status: number | null }[];
  }[];
}

function makeWebhook(path: string, alerts: readonly string[]): Promise<NewWebhook> {
  return gateway.platform("POST", "/api/webhooks", { name: path, url: `${receiver.origin}${path}`, allow_private: true, alerts });
}

async function ask(model: string): Promise<void> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });
  await response.text();
}

function arrived(path: string, count: number): Promise<readonly ReceivedMessage[]> {
  return eventually(
    () => receiver.seen(path),
    ({ length }) => length >= count,
  );
}

test("alerts when an account runs out of credit; a delivery interrupted by a crash is sent once after the restart", async () => {
  const path = "/hangs/1/credit";
  const { id, secret } = await makeWebhook(path, ["credit.low"]);
  await ask("good");
  const { credit } = await gateway.platform<{ credit: string }>("GET", "/api/accounts/default");
  await gateway.platform("POST", "/api/accounts/default/adjustments", { amount: `-${credit}`, reference: "all of it", reason: "test" });
  const [first] = await arrived(path, 1);
  process.kill(gateway.pid, "SIGKILL");
  await gateway.end();
  gateway = await startGateway({ folder: gateway.folder });

  const [, second] = await arrived(path, 2);
  expect([second!.body, second!.headers["webhook-id"]]).toEqual([first!.body, first!.headers["webhook-id"]!]);
  expect(verified(second!, secret)).toMatchObject({ type: "credit.low", data: { account: { id: "default" }, credit: "0.00" } });
  const { data } = await eventually(
    () => gateway.platform<DeliveryPage>("GET", `/api/webhooks/${id}/deliveries`),
    (page) => page.data.every(({ state }) => state !== "pending"),
  );
  expect(data).toMatchObject([{ state: "delivered", message_id: first!.headers["webhook-id"], attempts: [{ status: 204 }] }]);
  await gateway.platform("POST", "/api/accounts/default/grants", { amount: "100", reference: "more", reason: "test" });
}, 300_000);

test("alerts when an upstream fails", async () => {
  const path = "/fine/0/routes";
  const { secret } = await makeWebhook(path, ["upstream.ejected"]);
  for (let at = 0; at < 6; at++) await ask("bad");
  const [received] = await arrived(path, 1);
  expect(verified(received!, secret)).toMatchObject({
    type: "upstream.ejected",
    data: { upstream: "mock", upstream_model: "up-bad", models: ["bad"] },
  });
}, 300_000);

test("raised alerts are listed until they are over, and an acknowledgement is in the audit log", async () => {
  interface Alert {
    readonly id: string;
    readonly state: string;
    readonly acknowledged_by: { readonly name: string } | null;
  }
  type Alerts = { readonly data: readonly Alert[]; readonly open: number };
  const list = (query: string): Promise<Alerts> => gateway.platform<Alerts>("GET", `/api/alerts${query}`);
  // The credit was granted by the test above.
  const credit = await eventually(
    () => list("?type=credit.low"),
    ({ data }) => data[0]?.state === "resolved",
  );
  expect(credit.data).toMatchObject([
    { title: "Low credit: Default", account: "default", key: null, resolved_at: expect.any(String), data: { credit: "0.00" } },
  ]);
  const { data, open } = await list("?state=open&upstream=mock");
  expect([data, open]).toMatchObject([[{ type: "upstream.ejected", upstream: "mock", acknowledged_by: null }], 1]);
  const { id } = data[0]!;
  const tollgate = commandRunner(gateway);
  expect(await tollgate.text(`alerts acknowledge ${id}`)).toBe(`Alert ${id} is acknowledged by operator token.\n`);
  await gateway.platform("POST", `/api/alerts/${id}/acknowledge`);
  expect(await tollgate.text("alerts list --state acknowledged")).toMatch(
    /operator token +\d+ of \d+ recent calls of up-bad at mock failed/,
  );
  expect(await list("?state=open")).toMatchObject({ data: [], open: 0 });
  const changes = await gateway.platform<{ data: unknown[] }>("GET", `/api/audit-log?kind=alert&id=${id}`);
  expect(changes.data).toMatchObject([{ action: "alert.acknowledge", before: { state: "open" }, after: { state: "acknowledged" } }]);
  expect(await gateway.platform("POST", "/api/alerts/msg_none/acknowledge").catch(String)).toContain("unknown_alert");
}, 300_000);
