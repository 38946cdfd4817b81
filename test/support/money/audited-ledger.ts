import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { AuditReport } from "../../../src/platform/audit/auditor.ts";
import { ask, fund, usageOf, type MoneyUpstream } from "../upstreams/money-upstream.ts";
import { runTollgate, type Outcome } from "../gateway/run-tollgate.ts";
import { startGateway, waitFor, type RunningGateway } from "../gateway/start-gateway.ts";

const TOKEN = "operator-token-of-test";

/** Starts a gateway on a data folder that remains after it. */
export function startOn(data: string, upstream: MoneyUpstream): Promise<RunningGateway> {
  return startGateway({ yaml: upstream.yaml, env: { TOLLGATE_DATA: data, TOLLGATE_OPERATOR_TOKEN: TOKEN } });
}

/** Every kind of entry, and every way in which a charge can arise. */
export async function makeTraffic(gateway: RunningGateway): Promise<void> {
  const rich = await fund(gateway, "rich");
  await gateway.platform("POST", "/api/accounts/rich/grants", { amount: "3", reference: "second", reason: "more" });
  await gateway.platform("POST", "/api/accounts/rich/adjustments", { amount: "-1.5", reference: "a", reason: "less" });
  const details = {
    prompt_tokens_details: { cached_tokens: 31, cache_write_tokens: 9 },
    completion_tokens_details: { reasoning_tokens: 7 },
  };
  await ask(gateway, rich.key, "counted", usageOf(100, 20, details));
  await ask(gateway, rich.key, "counted", usageOf(1001, 3));
  await ask(gateway, rich.key, "gratis", usageOf(7, 7));
  await ask(gateway, rich.key, "broken", "hi");
  const poor = await fund(gateway, "poor", "0.05");
  // The first request leaves some credit, but less than the hold of the second.
  const greedy = (): Promise<Response> => ask(gateway, poor.key, "paired", usageOf(10, 24_990), { max_tokens: 10 });
  await Promise.all([greedy(), greedy()]);
}

/** Kills the process while the recorded progress of a stream is far above its hold. */
export async function crashInTheMiddle(gateway: RunningGateway, data: string): Promise<void> {
  const { key } = await fund(gateway, "crashed");
  const reply = await ask(gateway, key, "slow", "x".repeat(40_000), { stream: true, max_tokens: 1 });
  const watching = new Database(join(data, "tollgate.db"), { readonly: true });
  const known = watching.query<{ cost: number }, []>("select cost_nanos as cost from progress");
  await waitFor(() => (known.get()?.cost ?? 0) > 0);
  watching.close();
  process.kill(gateway.pid, "SIGKILL");
  await reply.text().catch(() => undefined);
  await gateway.stop();
}

const OPERATOR = { env: { TOLLGATE_OPERATOR_TOKEN: TOKEN } };

/** The output of `tollgate audit` for programs. */
export async function audit(gateway: RunningGateway): Promise<AuditReport & { code: number; stderr: string }> {
  const { code, stdout, stderr } = await runTollgate(gateway, ["audit", "--json"], OPERATOR);
  return { ...(JSON.parse(stdout) as AuditReport), code, stderr };
}

/** The output of `tollgate audit` for people. */
export function auditInWords(gateway: RunningGateway): Promise<Outcome> {
  return runTollgate(gateway, ["audit"], OPERATOR);
}
