import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { gatewayPids, startProcesses } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { Gate } from "../money/gate.ts";
import { accountNow, creditIn, dollarsOf, endsIn, ledgerOf, priceOf } from "../money/ledger-of.ts";
import { chatBody, type Reply } from "../money/post-chat.ts";
import { postFresh } from "./post-fresh.ts";

const REQUESTS = 200;
const AFFORDABLE = 10;
const MAX_TOKENS = 100;

const gate = new Gate();
let upstream: MockUpstream;
let gateway: RunningGateway;
let pids: number[];

beforeAll(async () => {
  upstream = startMockUpstream({ "up-held": answer, "up-quick": answer });
  gateway = await startProcesses({ yaml: configFor(upstream.baseUrl, ["held", "quick"]) });
  pids = await gatewayPids(gateway);
});

afterAll(async () => {
  gate.open();
  await gateway?.stop();
  await upstream.stop();
});

beforeEach(() => {
  // Requests of a failed test must not be counted.
  gate.open();
  gate.close();
  upstream.requests.length = 0;
});

/** Responds with a usage that costs the complete hold. */
async function answer({ body }: RecordedRequest): Promise<Response> {
  if (body["model"] === "up-held") await gate.pass();
  const prompt = bytesOf(String(body["model"]).slice("up-".length));
  const usage = { prompt_tokens: prompt, completion_tokens: MAX_TOKENS, total_tokens: prompt + MAX_TOKENS };
  return Response.json(completion({}, { usage }));
}

function bodyFor(model: string): string {
  return chatBody(model, { max_tokens: MAX_TOKENS });
}

function bytesOf(model: string): number {
  return Buffer.byteLength(bodyFor(model));
}

/** The hold of a request: one token for every byte, and its maximum output. */
function holdOf(model: string): bigint {
  return priceOf(bytesOf(model), MAX_TOKENS);
}

let accounts = 0;

/** A key of a new account, with exactly this much credit, and a credit line. */
async function keyWith(nanos: bigint, line: string | null = null): Promise<{ account: string; key: string }> {
  const account = `account-${++accounts}`;
  await gateway.platform("POST", "/api/accounts", { id: account, name: account, credit_line: line });
  await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: dollarsOf(nanos), reference: "grant", reason: "for tests" });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: account, models: ["*"], account });
  return { account, key };
}

async function untilCredit(account: string, nanos: bigint): Promise<void> {
  await eventually(
    async () => String((await accountNow(gateway, account)).creditNanos),
    (credit) => credit === String(nanos),
  );
}

async function expectAudited(account: string): Promise<void> {
  const { creditNanos, heldNanos } = await accountNow(gateway, account);
  const rows = ledgerOf(gateway);
  endsIn(rows);
  expect(creditIn(rows.filter(({ account_id: of }) => of === account))).toBe(creditNanos);
  expect(heldNanos).toBe(0n);
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
}

describe("200 parallel requests on credit for 10", () => {
  test("hold no more than the credit, and are refused as in flight while it is held", async () => {
    const { account, key } = await keyWith(holdOf("held") * 10n);
    const refused: Reply[] = [];
    const answered: Reply[] = [];
    const all = Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        let reply = await postFresh(gateway, key, bodyFor("held"));
        // The last part of the credit may have been in transit from one process to another.
        while (reply.code === "credits_in_flight" && gate.waiting < AFFORDABLE) {
          await Bun.sleep(Number(reply.headers.get("retry-after")) * 1000);
          reply = await postFresh(gateway, key, bodyFor("held"));
        }
        (reply.status === 200 ? answered : refused).push(reply);
      }),
    );
    await eventually(
      () => refused.length + gate.waiting,
      (decided) => decided === REQUESTS,
    );
    expect(gate.waiting).toBe(AFFORDABLE);
    expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(["402 credits_in_flight"]));
    expect(refused.filter(({ headers }) => !/^\d+$/.test(headers.get("retry-after") ?? ""))).toEqual([]);

    gate.open();
    await all;
    expect(answered).toHaveLength(AFFORDABLE);
    expect(upstream.requests).toHaveLength(AFFORDABLE);
    await untilCredit(account, 0n);
    await expectAudited(account);
  });

  test("with 6 of them on the credit line, are admitted 10 times when refused callers retry, and then refused as without credit", async () => {
    const { account, key } = await keyWith(holdOf("quick") * 4n, dollarsOf(holdOf("quick") * 6n));
    const last: Reply[] = await Promise.all(Array.from({ length: REQUESTS }, () => postUntilDecided(key)));
    const outcomes = Map.groupBy(last, ({ status, code }) => `${status} ${code ?? ""}`.trim());
    expect(Object.fromEntries([...outcomes].map(([outcome, { length }]) => [outcome, length]))).toEqual({
      "200": AFFORDABLE,
      "402 insufficient_credits": REQUESTS - AFFORDABLE,
    });
    expect(upstream.requests).toHaveLength(AFFORDABLE);
    await untilCredit(account, -holdOf("quick") * 6n);
    await expectAudited(account);
  });
});

test("a credit line that is lowered below what is owed stops every process, and an unlimited one stops none", async () => {
  const { account, key } = await keyWith(holdOf("quick"), "unlimited");
  const clients = await ProcessClient.connectToEach(gateway, pids);
  const post = async (): Promise<string[]> =>
    (await Promise.all(clients.map((client) => client.post(key, bodyFor("quick"))))).map(({ status, code }) =>
      `${status} ${code ?? ""}`.trim(),
    );
  expect([...(await post()), ...(await post())]).toEqual([...pids, ...pids].map(() => "200"));
  await untilCredit(account, holdOf("quick") * (1n - 2n * BigInt(pids.length)));
  await gateway.platform("PATCH", `/api/accounts/${account}`, { credit_line: dollarsOf(holdOf("quick")) });
  expect(await post()).toEqual(pids.map(() => "402 insufficient_credits"));
  await gateway.platform("PATCH", `/api/accounts/${account}`, { credit_line: "unlimited" });
  expect(await post()).toEqual(pids.map(() => "200"));
  for (const client of clients) client.close();
  await untilCredit(account, holdOf("quick") * (1n - 3n * BigInt(pids.length)));
  await expectAudited(account);
});

/** Retries while credit is in flight, after the Retry-After of the reply. */
async function postUntilDecided(key: string): Promise<Reply> {
  for (;;) {
    const reply = await postFresh(gateway, key, bodyFor("quick"));
    if (reply.code !== "credits_in_flight") return reply;
    await Bun.sleep(Number(reply.headers.get("retry-after")) * 1000);
  }
}

test("each process spends the last of the credit, wherever the rest is leased", async () => {
  const { account, key } = await keyWith(holdOf("quick") * 20n);
  const clients = await ProcessClient.connectToEach(gateway, pids);
  for (let sent = 0; sent < 20; sent++) {
    const reply = await clients[sent % clients.length]!.post(key, bodyFor("quick"));
    expect({ sent, status: reply.status, text: reply.text }).toMatchObject({ sent, status: 200 });
  }
  await untilCredit(account, 0n);
  const codes = await Promise.all(clients.map(async (client) => (await client.post(key, bodyFor("quick"))).code));
  expect(codes).toEqual(pids.map(() => "insufficient_credits"));
  for (const client of clients) client.close();
  await expectAudited(account);
});

test("a hold of one process is credit in flight for the others", async () => {
  const { account, key } = await keyWith(holdOf("held"));
  const clients = await ProcessClient.connectToEach(gateway, pids);
  const held = clients[0]!.post(key, bodyFor("held"));
  await gate.holds(1);
  const others = await Promise.all(clients.slice(1).map((client) => client.post(key, bodyFor("held"))));
  expect(others.map(({ status, code }) => [status, code])).toEqual(others.map(() => [402, "credits_in_flight"]));
  gate.open();
  expect((await held).status).toBe(200);
  await untilCredit(account, 0n);
  const after = await Promise.all(clients.map((client) => client.post(key, bodyFor("held"))));
  expect(after.map(({ code }) => code)).toEqual(pids.map(() => "insufficient_credits"));
  for (const client of clients) client.close();
  await expectAudited(account);
});
