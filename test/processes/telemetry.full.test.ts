import { afterAll, beforeAll, expect, test } from "bun:test";
import { startBadReceiver, verified, type BadReceiver } from "../alerts/receiver.ts";
import { Scrape } from "../metrics/scrape.ts";
import { eventually } from "../support/eventually.ts";
import { startProcesses, untilServing } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { postMany } from "./post-fresh.ts";

const REQUESTS = 2000;
const AT_ONCE = 100;
const REQUESTS_TOTAL = "tollgate_requests_total";

let upstream: MockUpstream;
let receiver: BadReceiver;
let gateway: RunningGateway;
let key: string;
let keyId: string;

beforeAll(async () => {
  upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
  receiver = await startBadReceiver();
  gateway = await startProcesses({ yaml: configFor(upstream.baseUrl, ["good"]) });
  ({ id: keyId, key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway?.stop();
  await receiver?.stop();
  await upstream.stop();
});

async function send(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const replies = await postMany(gateway, AT_ONCE, key, chatBody("good"));
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
  }
}

/** The lines of the log, without the greeting. Throws if a line is incomplete. */
function logged(): Record<string, unknown>[] {
  const lines = gateway.output().split("\n").slice(1, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function chatLines(): Record<string, unknown>[] {
  return logged().filter(({ path }) => path === "/v1/chat/completions");
}

async function untilCounted(count: number): Promise<void> {
  const total = await eventually(
    async () => (await Scrape.of(gateway)).sum(REQUESTS_TOTAL),
    (counted) => counted >= count,
  );
  expect(total).toBe(count);
}

/** The counters, including the counts of histograms. The counters of a single process are reset when it restarts. */
function countersOf({ families }: Scrape): Map<string, number> {
  const counting = families.filter(({ type }) => type === "counter" || type === "histogram").flatMap(({ samples }) => samples);
  const shared = counting.filter(({ labels }) => labels["process"] === undefined);
  return new Map(shared.map(({ series, value }) => [series, value]));
}

test("there is one log, one /metrics and one request log of the requests of all processes", async () => {
  await send(REQUESTS);
  await untilCounted(REQUESTS);
  await eventually(
    () => chatLines().length,
    (lines) => lines >= REQUESTS,
  );
  const ids = new Set(chatLines().map((line) => line["request_id"]));
  expect([chatLines().length, ids.size]).toEqual([REQUESTS, REQUESTS]);
  const { total } = await eventually(
    () => gateway.platform<{ total: { requests: number } }>("GET", "/api/requests/statistics"),
    ({ total: { requests } }) => requests >= REQUESTS,
  );
  expect(total.requests).toBe(REQUESTS);
  const { data } = await gateway.platform<{ data: { request_id: string }[] }>("GET", "/api/requests?limit=50");
  expect(data.filter((request) => !ids.has(request.request_id))).toEqual([]);
  expect(await gateway.platform<object>("GET", `/api/requests/${String([...ids][0])}`)).toMatchObject({ model: "good" });
  const used = await eventually(
    () => gateway.platform<{ last_used_at: string | null }>("GET", `/api/keys/${keyId}`),
    ({ last_used_at: at }) => at !== null,
  );
  expect(used.last_used_at).toMatch(/^\d{4}-/);
});

test("no counter goes back when a process is killed and another takes its place", async () => {
  const pids = await untilServing(gateway);
  const before = await Scrape.of(gateway);
  process.kill(pids[0]!, "SIGKILL");
  await eventually(
    () => untilServing(gateway),
    (serving) => !serving.includes(pids[0]!),
  );
  const after = await Scrape.of(gateway);
  const now = countersOf(after);
  const back = [...countersOf(before)].filter(([series, value]) => !((now.get(series) ?? -1) >= value));
  expect(back).toEqual([]);
  expect(after.sum(REQUESTS_TOTAL)).toBe(before.sum(REQUESTS_TOTAL));
  await send(AT_ONCE);
  await untilCounted(before.sum(REQUESTS_TOTAL) + AT_ONCE);
  expect(logged().filter(({ event }) => event === "gateway_process_ended")).toHaveLength(1);
});

test("every process alerts when it refuses a request because of credit", async () => {
  const pids = await untilServing(gateway);
  const clients = await ProcessClient.connectToEach(gateway, pids);
  for (const [at, client] of clients.entries()) {
    const path = `/fine/0/credit-${at}`;
    const wanted = { name: path, url: `${receiver.origin}${path}`, allow_private: true, alerts: ["credit.low"] };
    const { secret } = await gateway.platform<{ secret: string }>("POST", "/api/webhooks", wanted);
    const id = `poor-${at}`;
    await gateway.platform("POST", "/api/accounts", { id, name: id });
    // Not enough for the request, and above the threshold of the low-credit alert.
    await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount: "0.0001", reference: "first", reason: "for tests" });
    const { key: poor } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: id, account: id, models: ["*"] });
    const refused = await client.post(poor, chatBody("good", { max_tokens: 1000 }));
    expect([refused.status, refused.code]).toEqual([402, "insufficient_credits"]);
    const received = await eventually(
      () => receiver.seen(path),
      (all) => all.some(({ body }) => body.includes(`"${id}"`)),
    );
    const alerts = received.map((each) => verified(each, secret) as { data: Record<string, unknown> });
    expect(alerts.some(({ data }) => (data["account"] as { id: string }).id === id)).toBe(true);
    client.close();
  }
});
