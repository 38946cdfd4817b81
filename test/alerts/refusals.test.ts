import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { startBadReceiver, verified, type BadReceiver } from "./receiver.ts";

/** The cost of each response: $0.0001, a tenth of the available credit. */
const USAGE = { prompt_tokens: 10, completion_tokens: 45, total_tokens: 55 };

let upstream: MockUpstream;
let receiver: BadReceiver;
let gateway: RunningGateway;
beforeAll(async () => {
  receiver = await startBadReceiver();
  upstream = startMockUpstream({ "up-good": () => Response.json(completion({}, { usage: USAGE })) });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good"]) });
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.stop();
  await upstream.stop();
});

/** Sends requests until one is rejected, and returns its code. Each may cost up to about $0.0003. */
async function askUntilRefused(key: string): Promise<unknown> {
  for (let answered = 0; answered < 10; answered++) {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "good", max_tokens: 120, messages: [{ role: "user", content: "hello" }] }),
    });
    const body = (await response.json()) as { error?: { code: string } };
    if (response.status === 402) {
      expect(answered).toBeGreaterThan(3);
      return body.error!.code;
    }
    expect(response.status).toBe(200);
  }
  throw new Error("never refused");
}

interface ReceivedAlert {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The alerts for this webhook path, once there is at least one. */
async function firstAlerts(path: string, alerts: readonly string[], happens: () => Promise<void>): Promise<ReceivedAlert[]> {
  const wanted = { name: path, url: `${receiver.origin}${path}`, allow_private: true, alerts };
  const { secret } = await gateway.platform<{ secret: string }>("POST", "/api/webhooks", wanted);
  await happens();
  const received = await eventually(
    () => receiver.seen(path),
    ({ length }) => length > 0,
  );
  return received.map((each) => verified(each, secret) as ReceivedAlert);
}

test("alerts when a daily cap rejects a request, although some of it remains", async () => {
  const { id, key } = await gateway.makeKey(["*"], { caps: { day: "0.001" } });
  const alerts = await firstAlerts("/fine/0/cap", ["cap.reached"], async () => {
    expect(await askUntilRefused(key)).toBe("budget_exceeded");
  });
  expect(alerts).toMatchObject([{ type: "cap.reached", data: { scope: "key", key: { id }, period: "day", cap: "0.001" } }]);
  expect(Number(alerts[0]!.data["spent"])).toBeWithin(0.0004, 0.001);
}, 300_000);

test("alerts when a request is rejected because of credit, although some of it remains", async () => {
  await gateway.platform("POST", "/api/accounts", { id: "small", name: "Small" });
  await gateway.platform("POST", "/api/accounts/small/grants", { amount: "0.001", reference: "first", reason: "test" });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "k", account: "small", models: ["*"] });
  const alerts = await firstAlerts("/fine/0/credit", ["credit.low"], async () => {
    expect(await askUntilRefused(key)).toBe("insufficient_credits");
  });
  expect(alerts).toMatchObject([{ type: "credit.low", data: { account: { id: "small", name: "Small" }, low_credit: "0.00" } }]);
  expect(Number(alerts[0]!.data["credit"])).toBeWithin(0.0000001, 0.0006);
}, 300_000);
