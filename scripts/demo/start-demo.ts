import { join } from "node:path";
import { writeHistory } from "../../test/console/write-history.ts";
import { startGateway, type RunningGateway } from "../../test/support/gateway/start-gateway.ts";
import { ACCOUNTS, KEYS, PEOPLE } from "./accounts.ts";
import { DEPRECATED, MODELS, UPSTREAMS } from "./catalog.ts";
import { startDemoUpstream, type DemoUpstream } from "./demo-upstream.ts";
import { demoTraffic, type IssuedKey } from "./traffic.ts";

const A_MONTH = { days: 30, requestsADay: 2600 };
const IN_SIX_WEEKS = new Date(Date.now() + 42 * 86_400_000).toISOString().slice(0, 10);
const ENV = { TOLLGATE_REQUEST_LOG_DAYS: String(A_MONTH.days + 5) };

export interface Demo {
  readonly gateway: RunningGateway;
  /** A recent request that failed over, because its first upstream was at its limit. */
  readonly requestId: string;
  /** Key IDs by the name of the key. */
  readonly keyIds: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

/** A gateway with traffic from three teams: a month of it, unless a test needs less. */
export async function startDemo({ days, requestsADay } = A_MONTH): Promise<Demo> {
  const upstream = startDemoUpstream();
  const before = await startGateway({ yaml: configOf(upstream), env: ENV });
  const keys = await furnish(before);
  await before.end();
  const endMs = Date.now();
  const requests = demoTraffic(keys, days, endMs, requestsADay);
  await writeHistory({ dataFolder: join(before.folder, "data"), days, endMs, requests, countsBalances: true });
  const gateway = await startGateway({ folder: before.folder, env: ENV });
  await addedUp(gateway);
  const requestId = await askOverloaded(
    gateway,
    upstream,
    keys.find(({ name }) => name === "reply drafts")!,
  );
  const stop = async (): Promise<void> => {
    await gateway.stop();
    await upstream.stop();
  };
  return { gateway, requestId, keyIds: new Map(keys.map(({ name, id }) => [name, id])), stop };
}

function configOf(upstream: DemoUpstream): string {
  const lines = UPSTREAMS.map((id) => `  - { id: ${id}, dialect: openai, base_url: "${upstream.baseUrlOf(id)}", allow_private: true }`);
  return `upstreams:\n${lines.join("\n")}\n`;
}

interface SecretKey extends IssuedKey {
  readonly key: string;
}

async function furnish(gateway: RunningGateway): Promise<SecretKey[]> {
  for (const { id, ownedBy, upstreams, price, contextWindow, capabilities } of MODELS) {
    await gateway.platform("POST", "/api/models", {
      id,
      owned_by: ownedBy,
      routes: upstreams.map((upstream, at) => ({ upstream, model: id, priority: at + 1 })),
      price: { input_per_million: price[0], output_per_million: price[1] },
      context_window: contextWindow,
      capabilities,
    });
  }
  const { id: deprecated, replacement } = DEPRECATED;
  await gateway.platform("POST", `/api/models/${deprecated}/deprecate`, { shutdown_date: IN_SIX_WEEKS, replacement });
  for (const { id, name, credit } of ACCOUNTS) {
    if (id !== "default") await gateway.platform("POST", "/api/accounts", { id, name });
    await gateway.platform("POST", `/api/accounts/${id}/grants`, {
      amount: credit,
      reference: "this month",
      reason: "monthly grant",
    });
  }
  for (const person of PEOPLE) await gateway.platform("POST", "/api/people", person);
  const keys: SecretKey[] = [];
  for (const demo of KEYS) {
    const wanted = { name: demo.name, account: demo.account, models: demo.calls, ...demo.more };
    keys.push({ ...demo, ...(await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", wanted)) });
  }
  return keys;
}

/** Waits until the usage rollups are complete. */
async function addedUp(gateway: RunningGateway): Promise<void> {
  try {
    await gateway.platform("GET", "/api/usage?by=key&limit=1");
  } catch {
    await Bun.sleep(200);
    await addedUp(gateway);
  }
}

async function askOverloaded(gateway: RunningGateway, upstream: DemoUpstream, { key, calls }: SecretKey): Promise<string> {
  upstream.overload("anthropic");
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "user-agent": "OpenAI/JS 7.53.0" },
    body: JSON.stringify({ model: calls[0], stream: true, messages: [{ role: "user", content: "What does a toll gate do?" }] }),
  });
  await response.text();
  return response.headers.get("x-request-id")!;
}
