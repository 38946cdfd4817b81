import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { startProcesses, untilServing } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  startMockUpstream,
  type MockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { Gate } from "../money/gate.ts";
import { endsIn, ledgerOf } from "../money/ledger-of.ts";
import { chatBody } from "../money/post-chat.ts";
import { postFresh } from "./post-fresh.ts";

const gate = new Gate();
let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = startMockUpstream({ "up-held": answer });
  gateway = await startProcesses({ yaml: configFor(upstream.baseUrl, ["held"]) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  gate.open();
  await gateway?.stop();
  await upstream.stop();
});

beforeEach(() => {
  gate.close();
  upstream.requests.length = 0;
});

async function answer({ body }: RecordedRequest): Promise<Response> {
  const content = `response ${upstream.requests.length}`;
  await gate.pass();
  return body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion({ content }));
}

/** The charges of an account so far. Throws if a hold is open. */
function charges(): number {
  return [...endsIn(ledgerOf(gateway)).values()].filter(({ kind }) => kind === "settle").length;
}

async function untilCharged(count: number): Promise<void> {
  await eventually(
    () => {
      try {
        return charges();
      } catch {
        return 0;
      }
    },
    (charged) => charged === count,
  );
}

for (const stream of [false, true]) {
  test(`one Idempotency-Key in every process at once is one call and one charge (${stream ? "stream" : "JSON"})`, async () => {
    const before = charges();
    const clients = await ProcessClient.connectToEach(gateway, await untilServing(gateway));
    const headers = { "idempotency-key": `at-once-${stream}` };
    const body = chatBody("held", { stream });
    const replies = clients.map((client) => client.post(key, body, headers));
    await gate.holds(1);
    gate.open();
    const [first, ...others] = await Promise.all(replies);
    expect(first!.status).toBe(200);
    for (const other of others) expect([other.status, other.text]).toEqual([200, first!.text]);
    expect(upstream.requests).toHaveLength(1);
    await untilCharged(before + 1);
    // Also later, and in every process.
    for (const client of clients) expect((await client.post(key, body, headers)).text).toBe(first!.text);
    const reused = await clients[0]!.post(key, chatBody("held", { stream, max_tokens: 5 }), headers);
    expect([reused.status, reused.code]).toEqual([400, "invalid_value"]);
    expect(upstream.requests).toHaveLength(1);
    expect(charges()).toBe(before + 1);
    for (const client of clients) client.close();
  });
}

test("where the process that serves an Idempotency-Key is killed, its claim ends and another process serves a retry", async () => {
  const pids = await untilServing(gateway);
  const clients = await ProcessClient.connectToEach(gateway, pids);
  const before = charges();
  const headers = { "idempotency-key": "killed" };
  const body = chatBody("held");
  const cut = clients[0]!.post(key, body, headers).catch(() => undefined);
  await gate.holds(1);
  const waiting = clients[1]!.post(key, body, headers);
  process.kill(pids[0]!, "SIGKILL");
  expect(await cut).toBeUndefined();
  gate.open();
  const second = await waiting;
  expect(second.status).toBeOneOf([200, 503]);
  const retried = await eventually(
    () => postFresh(gateway, key, body, headers),
    ({ status }) => status !== 503,
  );
  expect(retried.status).toBe(200);
  if (second.status === 200) expect(retried.text).toBe(second.text);
  await untilCharged(before + 1);
  for (const client of clients) client.close();
  await untilServing(gateway);
});
