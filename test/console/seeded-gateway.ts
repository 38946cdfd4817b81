import { completion, startMockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** A gateway with data for every page of its console. */
export interface SeededGateway {
  readonly gateway: RunningGateway;
  readonly account: string;
  readonly keyId: string;
  readonly personId: string;
  readonly webhookId: string;
  /** A request that failed over to the second route. */
  readonly requestId: string;
  stop(): Promise<void>;
}

const LONG_NAME = "a-name-as-long-as-the-platform-accepts-which-must-not-break-any-table-or-heading-of-the-console";
const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

export async function seedGateway(): Promise<SeededGateway> {
  const upstream = startMockUpstream({
    good: () => Response.json(completion()),
    bad: () => Response.json({ error: { message: "east is down" } }, { status: 500 }),
  });
  const gateway = await startGateway({ yaml: configOf(upstream.baseUrl) });
  const receiver = {
    name: "on call",
    url: new URL("/hook", upstream.baseUrl).href,
    allow_private: true,
    alerts: ["model.retiring", "upstream.ejected"],
  };
  const { id: webhookId } = await gateway.platform<{ id: string }>("POST", "/api/webhooks", receiver);
  const rich = await keyOf(gateway, "acme", { name: LONG_NAME, caps: { month: "50" }, limits: { requests_per_minute: 60 } });
  const poor = await keyOf(gateway, "globex", { name: "no credit" });
  await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "25", reference: "first", reason: "initial credit" });
  await gateway.platform("DELETE", `/api/keys/${(await keyOf(gateway, "initech", { name: "revoked" })).id}`);
  const wanted = { routes: [{ upstream: "west", model: "good" }], price: { input_per_million: 1, output_per_million: 2 } };
  for (const id of ["old", "spare"]) await gateway.platform("POST", "/api/models", { id, ...wanted });
  const models = { plain: { prices: [wanted.price, { ...wanted.price, effective: IN_A_MONTH }] } };
  const percents = [{ percent: 80 }, { percent: 85, effective: IN_A_MONTH }];
  await gateway.platform("POST", "/api/price-lists", { id: "partners", name: "Partners", percents, models });
  await gateway.platform("PATCH", "/api/accounts/globex", { price_list: "partners" });
  await ask(gateway, rich.key, "plain");
  await ask(gateway, rich.key, "old");
  await ask(gateway, poor.key, "plain");
  await ask(gateway, rich.key, "nowhere");
  const requestId = await ask(gateway, rich.key, "twice");
  await gateway.platform("POST", "/api/models/old/deprecate", { shutdown_date: IN_A_MONTH, replacement: "plain" });
  const person = { email: "ada@example.test", name: "Ada Lovelace", role: "member", account: "acme" };
  const { id: personId } = await gateway.platform<{ id: string }>("POST", "/api/people", person);
  const stop = async (): Promise<void> => {
    await gateway.stop();
    await upstream.stop();
  };
  return { gateway, account: "acme", keyId: rich.id, personId, webhookId, requestId, stop };
}

function configOf(baseUrl: string): string {
  const at = `dialect: openai, base_url: "${baseUrl}", allow_private: true, credential: canary`;
  const twice = "[{ upstream: east, model: bad, priority: 1 }, { upstream: west, model: good, priority: 2 }]";
  return `upstreams:
  - { id: east, ${at} }
  - { id: west, ${at} }
models:
  - { id: plain, routes: [{ upstream: west, model: good, cost: ${TEST_PRICE} }], price: ${TEST_PRICE} }
  - { id: twice, routes: ${twice}, price: ${TEST_PRICE} }
`;
}

async function keyOf(gateway: RunningGateway, account: string, more: object): Promise<{ id: string; key: string }> {
  await gateway.platform("POST", "/api/accounts", { id: account, name: account });
  return gateway.platform("POST", "/api/keys", { models: ["*"], account, ...more });
}

/** Calls the gateway, waits until the request is in the log, and returns its ID. */
async function ask(gateway: RunningGateway, key: string, model: string): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.text();
  const id = response.headers.get("x-request-id")!;
  while ((await gateway.platform<{ data: object[] }>("GET", `/api/requests?request_id=${id}`)).data.length === 0) await Bun.sleep(20);
  return id;
}
