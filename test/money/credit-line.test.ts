import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Account, ChangePreview } from "../../platform-client/types.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { accountNow, dollarsOf, endsIn, ledgerOf, nanosOf, priceOf } from "./ledger-of.ts";
import { chatBody, postChat, type Reply } from "./post-chat.ts";

const MAX_TOKENS = 100;
const BODY = chatBody("good", { max_tokens: MAX_TOKENS });
const PROMPT = Buffer.byteLength(BODY);
const HOLD = priceOf(PROMPT, MAX_TOKENS);

/** The number of output tokens that the upstream reports. */
let written = MAX_TOKENS;
const upstream = startMockUpstream({
  "up-good": () =>
    Response.json(completion({}, { usage: { prompt_tokens: PROMPT, completion_tokens: written, total_tokens: PROMPT + written } })),
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good"]) });

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

beforeEach(() => {
  written = MAX_TOKENS;
});

let accounts = 0;

/** A key of a new account without credit. */
async function keyWithLine(creditLine: string | null, more: object = {}): Promise<{ account: string; key: string }> {
  const account = `line-${++accounts}`;
  await gateway.platform("POST", "/api/accounts", { id: account, name: account, credit_line: creditLine, ...more });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: account, models: ["*"], account });
  return { account, key };
}

function outcome({ status, code }: Reply): string {
  return `${status} ${code ?? ""}`.trim();
}

function change(account: string, fields: object): Promise<Account> {
  return gateway.platform("PATCH", `/api/accounts/${account}`, fields);
}

test("an account without credit spends its credit line, and never more, by requests at once", async () => {
  const { account, key } = await keyWithLine(dollarsOf(HOLD * 10n));
  const replies = await Promise.all(Array.from({ length: 100 }, () => postChat(gateway, key, BODY)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const reply of replies) expect(outcome(reply)).toBeOneOf(["200", "402 credits_in_flight", "402 insufficient_credits"]);
  expect(await accountNow(gateway, account)).toEqual({ creditNanos: HOLD * -10n, heldNanos: 0n, availableNanos: 0n });
  const last = await postChat(gateway, key, BODY);
  expect(outcome(last)).toBe("402 insufficient_credits");
  expect(last.text).toContain("has $0.00 of its credit line left");
});

test("a lowered credit line rejects requests until what is owed is within it", async () => {
  const { account, key } = await keyWithLine(dollarsOf(HOLD * 3n));
  const first = await postChat(gateway, key, BODY);
  expect([outcome(first), nanosOf(first.headers.get("x-tollgate-credit-remaining")!)]).toEqual(["200", HOLD * 2n]);
  await postChat(gateway, key, BODY);
  expect(await change(account, { credit_line: dollarsOf(HOLD) })).toMatchObject({ credit_line: shown(HOLD), available: shown(-HOLD) });
  const rejected = await postChat(gateway, key, BODY);
  expect(outcome(rejected)).toBe("402 insufficient_credits");
  expect(rejected.text).toContain(`is $${shown(HOLD)} over its credit line`);
  expect(nanosOf(rejected.headers.get("x-tollgate-credit-remaining")!)).toBe(-HOLD);
  await change(account, { credit_line: dollarsOf(HOLD * 3n) });
  expect(outcome(await postChat(gateway, key, BODY))).toBe("200");
  expect(await change(account, { credit_line: null })).toMatchObject({ credit_line: null, available: shown(HOLD * -3n) });
  expect((await postChat(gateway, key, BODY)).text).toContain(`is $${shown(HOLD * 3n)} in debt`);
});

test("credit never rejects a request of an account whose credit line is unlimited, but a spend cap does", async () => {
  const { account, key } = await keyWithLine("unlimited", { caps: { total: dollarsOf(HOLD * 20n) } });
  for (let sent = 0; sent < 20; sent++) {
    const reply = await postChat(gateway, key, BODY);
    expect([outcome(reply), reply.headers.has("x-tollgate-credit-remaining")]).toEqual(["200", false]);
    expect(nanosOf(reply.headers.get("x-tollgate-cap-remaining")!)).toBe(HOLD * BigInt(19 - sent));
  }
  expect(outcome(await postChat(gateway, key, BODY))).toBe("402 budget_exceeded");
  const shownNow = await gateway.platform<Account>("GET", `/api/accounts/${account}`);
  expect(shownNow).toMatchObject({ credit: shown(HOLD * -20n), credit_line: "unlimited", available: null });
  const dryRun = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-dry-run": "1" },
    body: BODY,
  });
  expect(await dryRun.json()).toMatchObject({ headroom: { credit: null } });
});

test("a cost above its hold is charged within the credit line, and once beyond it; the auditor agrees", async () => {
  written = MAX_TOKENS * 5;
  const cost = priceOf(PROMPT, written);
  const { account, key } = await keyWithLine(dollarsOf(cost + HOLD));
  const replies = [await postChat(gateway, key, BODY), await postChat(gateway, key, BODY)];
  expect(replies.map(outcome)).toEqual(["200", "200"]);
  const ends = endsIn(ledgerOf(gateway));
  expect(replies.map(({ requestId }) => ends.get(requestId)!.amount_nanos)).toEqual([cost, cost]);
  expect((await accountNow(gateway, account)).availableNanos).toBe(HOLD - cost);
  expect(outcome(await postChat(gateway, key, BODY))).toBe("402 insufficient_credits");
  await change(account, { credit_line: null });
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
});

test("a preview shows which requests a lower credit line would have rejected", async () => {
  const { account, key } = await keyWithLine("unlimited");
  for (let sent = 0; sent < 3; sent++) await postChat(gateway, key, BODY);
  const preview = (line: string | null): Promise<ChangePreview> =>
    gateway.platform("PATCH", `/api/accounts/${account}?preview=true`, { credit_line: line });
  expect((await preview(dollarsOf(HOLD))).refused_by).toEqual({ insufficient_credits: 2 });
  expect((await preview("unlimited")).refused_by).toEqual({});
});

test("a credit line is an amount, or unlimited", async () => {
  for (const line of ["-1", "lots", "1e3", "0.0000000001"]) {
    const [refused] = await Promise.allSettled([keyWithLine(line)]);
    expect(String((refused as PromiseRejectedResult).reason)).toContain("credit_line");
  }
});

/** An amount in the format of replies. */
function shown(nanos: bigint): string {
  const text = dollarsOf(nanos < 0n ? -nanos : nanos).replace(/0{1,7}$/, "");
  return nanos < 0n ? `-${text}` : text;
}
