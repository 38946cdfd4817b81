import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  ask,
  callPlatform,
  fund,
  requestIdOf,
  startMoneyUpstream,
  usageOf,
  type MoneyUpstream,
  type PlatformAnswer,
} from "../support/upstreams/money-upstream.ts";
import { chunk } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

let upstream: MoneyUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = startMoneyUpstream();
  gateway = await startGateway({ yaml: upstream.yaml });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const call = (method: string, path: string, body?: object): Promise<PlatformAnswer> => callPlatform(gateway, method, path, body);

describe("credit", () => {
  test("rejects a reference that would be normalized, so that two references cannot become equal", async () => {
    for (const reference of ["half of a pair \ud800", "half of a pair \udc00", "a\u0000b", ""]) {
      const { status, body } = await call("POST", "/api/accounts/default/grants", { amount: "1", reference, reason: "for tests" });
      expect([status, body["param"]]).toEqual([400, "reference"]);
    }
  });
});

describe("entries", () => {
  test("lists the entries of an account newest first, in pages, each once", async () => {
    const { key } = await fund(gateway, "paged");
    const usage = usageOf(10, 5);
    for (let i = 0; i < 5; i++) await ask(gateway, key, "counted", usage);
    const all = (await call("GET", "/api/accounts/paged/entries")).body;
    expect([all.data.length, all["next"]]).toEqual([6, null]);
    expect(all.data.map((entry) => entry["kind"])).toEqual([...Array.from({ length: 5 }, () => "settle"), "grant"]);
    expect(all.data[0]).toMatchObject({ account: "paged", amount: "0.00002", uncharged: "0.00", provenance: "measured", model: "counted" });
    const pages: unknown[] = [];
    for (let cursor = ""; cursor !== "&cursor=null";) {
      const { body } = await call("GET", `/api/accounts/paged/entries?limit=4${cursor}`);
      pages.push(body.data);
      cursor = `&cursor=${String(body["next"])}`;
    }
    expect(pages.map((page) => (page as unknown[]).length)).toEqual([4, 2]);
    expect(pages.flat()).toEqual(all.data);
    expect((await call("GET", "/api/accounts/paged/entries?limit=6")).body["next"]).toBeNull();
    const { reference } = all.data.at(-1) as { reference: string };
    const found = (await call("GET", `/api/accounts/paged/entries?reference=${encodeURIComponent(reference)}`)).body;
    expect([found.data, found["next"]]).toEqual([all.data.slice(-1), null]);
    const { next } = (await call("GET", "/api/accounts/paged/entries?limit=1")).body;
    const later = `reference=${encodeURIComponent(reference)}&cursor=${String(next)}`;
    expect((await call("GET", `/api/accounts/paged/entries?${later}`)).body.data).toEqual(all.data.slice(-1));
    expect((await call("GET", "/api/accounts/paged/entries?reference=another")).body.data).toEqual([]);
  });

  test("rejects an invalid query by the name of its parameter", async () => {
    const cases: [string, string, string][] = [
      // PostgreSQL cannot store this character in text.
      ["reference=%00", "invalid_value", "reference"],
      ["limit=0", "invalid_value", "limit"],
      ["limit=1001", "invalid_value", "limit"],
      ["limit=ten", "invalid_value", "limit"],
      ["limit=", "invalid_value", "limit"],
      ["limit=1e2", "invalid_value", "limit"],
      ["cursor=", "invalid_value", "cursor"],
      ["cursor=5", "invalid_value", "cursor"],
      [`cursor=${btoa('["5"]')}`, "invalid_value", "cursor"],
      [`cursor=${btoa("[5,5]")}`, "invalid_value", "cursor"],
      ["limit=5&limit=6", "invalid_value", "limit"],
      ["before=5", "unsupported_parameter", "before"],
    ];
    for (const [query, code, param] of cases) {
      const { status, body } = await call("GET", `/api/accounts/default/entries?${query}`);
      expect([query, status, body["code"], body["param"]]).toEqual([query, 400, code, param]);
    }
    expect((await call("GET", "/api/accounts/nobody/entries")).body["code"]).toBe("unknown_account");
  });
});

describe("receipts", () => {
  test("a receipt has an exact line for each kind of tokens, and their rounded sum is the charge", async () => {
    const { id, key } = await fund(gateway, "receipts");
    const usage = usageOf(100, 20, {
      prompt_tokens_details: { cached_tokens: 31, cache_write_tokens: 9 },
      completion_tokens_details: { reasoning_tokens: 7 },
    });
    const { status, body } = await call("GET", `/api/receipts/${requestIdOf(await ask(gateway, key, "counted", usage))}`);
    expect([status, body]).toMatchObject([
      200,
      {
        account: "receipts",
        key: id,
        model: "counted",
        state: "settled",
        reason: "complete",
        // 60 + 1.1625 + 11.25 + 26 + 21 = 119.4125 millionths, which is 119412.5 nano-dollars.
        charged: "0.000119413",
        uncharged: "0.00",
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
        provenance: "measured",
        upstream: "mock",
        attempts: 1,
        price: { input_per_million: 1, cached_input_per_million: 0.0375, source: "operator" },
        lines: [
          { kind: "input", tokens: 60, per_million: 1, cost: "0.00006" },
          { kind: "cached_input", tokens: 31, per_million: 0.0375, cost: "0.0000011625" },
          { kind: "cache_write", tokens: 9, per_million: 1.25, cost: "0.00001125" },
          { kind: "output", tokens: 13, per_million: 2, cost: "0.000026" },
          { kind: "reasoning", tokens: 7, per_million: 3, cost: "0.000021" },
        ],
      },
    ]);
    for (const time of ["started_at", "ended_at"]) expect(Date.parse(body[time] as string)).toBeGreaterThan(Date.now() - 60_000);
    expect(Number(body["held"])).toBeGreaterThan(Number(body["charged"]));
  });

  test("a line has the rate of its tier, and kinds without tokens have no line", async () => {
    const { key } = await fund(gateway, "tiers");
    const linesAt = async (promptTokens: number): Promise<unknown> => {
      const reply = await ask(gateway, key, "counted", usageOf(promptTokens, 0));
      return (await call("GET", `/api/receipts/${requestIdOf(reply)}`)).body["lines"];
    };
    expect(await linesAt(1000)).toEqual([{ kind: "input", tokens: 1000, per_million: 1, cost: "0.001" }]);
    expect(await linesAt(1001)).toEqual([{ kind: "input", tokens: 1001, per_million: 2, cost: "0.002002" }]);
    expect(await linesAt(0)).toEqual([]);
  });

  test("a receipt shows usage above the hold, and the amount that is not charged to an account in debt", async () => {
    const { key } = await fund(gateway, "debt", "0.05");
    const greedy = usageOf(10, 100_000);
    const replies = await Promise.all([
      ask(gateway, key, "paired", greedy, { max_tokens: 10 }),
      ask(gateway, key, "paired", greedy, { max_tokens: 10 }),
    ]);
    const receipts = await Promise.all(replies.map(async (reply) => (await call("GET", `/api/receipts/${requestIdOf(reply)}`)).body));
    const [first, second] = receipts.toSorted((a, b) => Number(b["charged"]) - Number(a["charged"])) as [
      PlatformAnswer["body"],
      PlatformAnswer["body"],
    ];
    expect([first["charged"], first["uncharged"]]).toEqual(["0.20001", "0.00"]);
    expect(second["charged"]).toBe(second["held"] as string);
    expect(Number(second["uncharged"])).toBeCloseTo(0.20001 - Number(second["charged"]), 12);
    expect((await call("GET", "/api/audit")).body["discrepancy_count"]).toBe(0);
  });

  test("an impossible token count is replaced by an estimate from the bytes", async () => {
    const { key } = await fund(gateway, "absurd");
    const { body } = await call("GET", `/api/receipts/${requestIdOf(await ask(gateway, key, "counted", usageOf(1, 9e15)))}`);
    expect(body).toMatchObject({ state: "settled", provenance: "estimated", uncharged: "0.00" });
    expect(Number(body["charged"])).toBeLessThan(0.001);
    expect((await call("GET", "/api/audit")).body["discrepancy_count"]).toBe(0);
  });

  test("a request in flight has an open receipt, a failed one a released receipt, and an unknown one none", async () => {
    const { key } = await fund(gateway, "states");
    const reply = await ask(gateway, key, "slow", "hi", { stream: true });
    const open = (await call("GET", `/api/receipts/${requestIdOf(reply)}`)).body;
    expect(open).toMatchObject({ state: "open", ended_at: null, reason: null, charged: null, uncharged: null, usage: null, lines: [] });
    expect((await call("GET", "/api/accounts/states")).body["held"]).toBe(open["held"] as string);
    upstream.slow.write(`data: ${chunk({}, "stop")}\n\ndata: [DONE]\n\n`);
    upstream.slow.end();
    await reply.text();
    expect((await call("GET", `/api/receipts/${requestIdOf(reply)}`)).body).toMatchObject({ state: "settled", provenance: "estimated" });

    const failed = await ask(gateway, key, "broken", "hi");
    expect(failed.status).toBe(502);
    expect((await call("GET", `/api/receipts/${requestIdOf(failed)}`)).body).toMatchObject({
      state: "released",
      reason: "upstream_error",
      charged: "0.00",
      uncharged: "0.00",
      provenance: null,
      lines: [],
    });
    expect(await call("GET", "/api/receipts/req_nobody")).toMatchObject({ status: 404, body: { code: "unknown_request" } });
  });
});

describe("usage", () => {
  test("equals the cost of the requests, by each grouping, at once", async () => {
    const { id, key } = await fund(gateway, "used");
    const day = new Date().toISOString().slice(0, 10);
    const usage = usageOf(100, 20, { prompt_tokens_details: { cached_tokens: 31 } });
    for (let i = 0; i < 3; i++) await ask(gateway, key, "counted", usage);
    await ask(gateway, key, "gratis", usageOf(1, 2));
    await ask(gateway, key, "broken", "hi");
    const none = { failed: 0, cache_write_tokens: 0, reasoning_tokens: 0, uncharged: "0.00" };
    const counted = { ...none, requests: 3, prompt_tokens: 300, cached_tokens: 93, completion_tokens: 60, cost: "0.000330489" };
    const gratis = { ...none, requests: 1, prompt_tokens: 1, cached_tokens: 0, completion_tokens: 2, cost: "0.00" };
    const broken = { ...none, requests: 0, failed: 1, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, cost: "0.00" };
    const all = { ...none, requests: 4, failed: 1, prompt_tokens: 301, cached_tokens: 93, completion_tokens: 62, cost: "0.000330489" };
    // A range that ends now would exclude a request that ended in this millisecond.
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const rows = async (query: string): Promise<object[]> => (await call("GET", `/api/usage?account=used&to=${to}&${query}`)).body.data;
    expect(await rows("")).toEqual([
      { model: "broken", ...broken },
      { model: "counted", ...counted },
      { model: "gratis", ...gratis },
    ]);
    expect(await rows("by=key")).toEqual([{ key: id, key_name: "used", ...all }]);
    expect(await rows("by=account&model=counted")).toEqual([{ account: "used", ...counted }]);
    // Midnight may have passed meanwhile, and that is the only allowed difference.
    if (new Date().toISOString().startsWith(day)) expect(await rows("by=day")).toEqual([{ day, is_partial: true, ...all }]);
    expect((await call("GET", "/api/usage?account=used&to=2026-01-01")).body.data).toEqual([]);
    expect((await call("GET", "/api/accounts/used")).body["spent"]).toMatchObject({ total: all.cost });
  });
});

test("an audit during traffic finds no difference, because it ends where the balances were read", async () => {
  const { key } = await fund(gateway, "busy");
  const traffic = { isOver: false, count: 0 };
  const callers = Array.from({ length: 8 }, async () => {
    for (; !traffic.isOver; traffic.count++) await ask(gateway, key, "counted", usageOf(10, 5));
  });
  const entries: number[] = [];
  for (let round = 0; round < 5; round++) {
    const { body } = await call("GET", "/api/audit");
    expect(body).toMatchObject({ discrepancy_count: 0, discrepancies: [] });
    entries.push(body["as_of_entry"] as number);
    const { count } = traffic;
    await waitFor(() => traffic.count > count);
  }
  traffic.isOver = true;
  await Promise.all(callers);
  expect(new Set(entries).size).toBe(5);
});

test("no endpoint for money responds without the operator token", async () => {
  const { key } = await gateway.makeKey();
  const endpoints = [
    ["POST", "/api/accounts"],
    ["GET", "/api/accounts"],
    ["GET", "/api/accounts/default"],
    ["PATCH", "/api/accounts/default"],
    ["GET", "/api/accounts/default/entries"],
    ["POST", "/api/accounts/default/grants"],
    ["POST", "/api/accounts/default/adjustments"],
    ["PATCH", "/api/keys/x"],
    ["GET", "/api/receipts/x"],
    ["GET", "/api/usage"],
    ["GET", "/api/audit"],
  ] as const;
  for (const [method, path] of endpoints) {
    for (const authorization of ["", `Bearer ${key}`]) {
      const reply = await fetch(gateway.platformUrl + path, { method, headers: { authorization } });
      expect([method, path, reply.status]).toEqual([method, path, 401]);
    }
  }
});
