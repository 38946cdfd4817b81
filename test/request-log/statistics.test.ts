import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { attemptAt, chargeOf, endedAt } from "./ended-samples.ts";

/** In the middle of an hour, on the day on which clocks are put back in Berlin. */
const NOW_MS = Date.parse("2026-10-25T12:20:00Z");
const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };
const acme = { accountId: "acme", keyId: "key-a", requestedModel: "fast" };
const other = { accountId: "other", keyId: "key-b", requestedModel: "slow" };

const at = (time: string): number => Date.parse(`2026-10-${time}Z`);

let platform: PlatformInProcess;
beforeAll(async () => {
  platform = await openPlatform(new Map(), { requestLog, nowMs: () => NOW_MS });
  const answered = { charge: chargeOf(7n, "hidden"), attempts: [attemptAt("hidden", 1010)] };
  const noted = [
    endedAt(at("23T05:10:00"), 200, { ...acme, ...answered }),
    endedAt(at("25T00:10:00"), 200, { ...acme, ...answered, isStream: true, begunAt: 1100 }),
    endedAt(at("25T01:10:00"), 429, { ...acme, code: "rate_limit_exceeded" }),
    endedAt(at("25T01:15:00"), 429, { ...acme, code: "rate_limit_exceeded" }),
    endedAt(at("25T01:20:00"), 402, { ...acme, code: "insufficient_credits" }),
    endedAt(at("25T12:05:00"), 502, { ...other, code: "upstream_error" }),
    endedAt(at("25T12:10:00"), 401, { code: "invalid_api_key" }),
    endedAt(at("25T12:19:00"), 200, { ...other, ...answered }),
  ];
  for (const request of noted) platform.stores.requestLog.note(request);
});
afterAll(() => platform.stop());

interface Statistics {
  readonly data: readonly Record<string, unknown>[];
  readonly total: Record<string, unknown>;
  readonly [field: string]: unknown;
}

async function ask(query: string, actor = OPERATOR): Promise<Statistics> {
  const { status, text, body } = await platform.call(actor, "showStatistics", { query });
  expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
  return body as unknown as Statistics;
}

async function days(query: string): Promise<unknown[]> {
  return (await ask(`by=day&${query}`)).data.map((row) => [row["day"], row["requests"], row["is_partial"]]);
}

describe("statistics of requests", () => {
  test("are one total without an interval", async () => {
    const { data, total, ...meant } = await ask("");
    expect(meant).toEqual({
      zone: "UTC",
      by: null,
      from: "2026-09-26T00:00:00.000Z",
      to: "2026-10-25T12:20:00.000Z",
      retained_from: "2026-10-23T00:00:00.000Z",
    });
    expect(data).toEqual([]);
    const half = { p50: expect.closeTo(500, -2), p95: expect.closeTo(500, -2), p99: expect.closeTo(500, -2) };
    const tenth = { p50: expect.closeTo(100, -1), p95: expect.closeTo(100, -1), p99: expect.closeTo(100, -1) };
    expect(total).toEqual({
      requests: 8,
      succeeded: 3,
      outcomes: { complete: 3, replayed: 0, dry_run: 0, refused: 4, failed: 1, client_closed: 0 },
      codes: [
        { code: "rate_limit_exceeded", requests: 2 },
        { code: "insufficient_credits", requests: 1 },
        { code: "invalid_api_key", requests: 1 },
        { code: "upstream_error", requests: 1 },
      ],
      duration_ms: half,
      first_token_ms: tenth,
    });
  });

  test("are by hour of a time zone, also where an hour repeats, without empty ones", async () => {
    const { data, zone } = await ask("by=hour&zone=europe/berlin&from=2026-10-25&to=2026-10-26");
    expect(zone).toBe("Europe/Berlin");
    expect(data.map((row) => [row["hour"], row["requests"], row["is_partial"]])).toEqual([
      ["2026-10-25T02:00+02:00", 1, false],
      ["2026-10-25T02:00+01:00", 3, false],
      ["2026-10-25T13:00+01:00", 3, true],
    ]);
    expect(data[1]).toMatchObject({ succeeded: 0, duration_ms: null, first_token_ms: null });
  });

  test("are by day of a time zone, and mark days that are not over or not retained in full", async () => {
    expect(await days("")).toEqual([
      ["2026-10-23", 1, false],
      ["2026-10-25", 7, true],
    ]);
    expect(await days("zone=Asia/Kathmandu")).toEqual([
      ["2026-10-23", 1, true],
      ["2026-10-25", 7, true],
    ]);
    expect(await days("zone=America/New_York&to=2026-10-25T04:00:00Z")).toEqual([
      ["2026-10-23", 1, false],
      ["2026-10-24", 4, false],
    ]);
    expect(await days("zone=America/New_York&from=2026-10-23T05:00:00Z&to=2026-10-24")).toEqual([["2026-10-23", 1, true]]);
  });

  test("are rounded to quarter hours, and report that", async () => {
    const { from, to, total } = await ask("from=2026-10-25T01:16:00Z&to=2026-10-25T01:17:00Z");
    expect([from, to, total["requests"]]).toEqual(["2026-10-25T01:15:00.000Z", "2026-10-25T01:30:00.000Z", 2]);
    expect(await ask("from=2026-10-25T12:16:00Z&to=2026-10-25T12:18:00Z")).toMatchObject({
      to: "2026-10-25T12:20:00.000Z",
      total: { requests: 1 },
    });
  });

  test.each([
    ["account=acme", 5],
    ["account=other&model=slow", 2],
    ["account=acme&model=slow", 0],
    ["model=fast", 5],
    ["account=nobody", 0],
  ])("are of what %p asks for", async (query, requests) => {
    expect((await ask(query)).total["requests"]).toBe(requests);
  });

  test.each([
    ["by=model", "by must be"],
    ["by=hour,day", "by must be"],
    ["zone=Mars", "zone must be"],
    ["from=yesterday", "from must be a date"],
    ["from=2026-10-25&to=2026-10-24", "from must be before `to`"],
    ["from=2025-01-01", "from must be at most 366 days before `to`"],
    ["by=hour&from=2026-09-01", "by hour, from must be at most 31 days before `to`"],
    ["key=key-a", "key is not"],
    ["limit=5", "limit is not"],
  ])("refuse %p", async (query, words) => {
    const { status, text } = await platform.call(OPERATOR, "showStatistics", { query });
    expect([status, text]).toEqual([400, expect.stringContaining(words)]);
  });

  test("cover a month by hour, also with a change of daylight saving time", async () => {
    const { data } = await ask("by=hour&zone=Europe/Berlin&from=2026-10-01&to=2026-11-01");
    expect(data).toHaveLength(4);
  });
});

describe("a member", () => {
  test("sees the own account only, whatever the filter", async () => {
    expect((await ask("", memberOf("acme"))).total).toMatchObject({ requests: 5, outcomes: { failed: 0 } });
    expect((await ask("account=other", memberOf("acme"))).total["requests"]).toBe(0);
    expect((await ask("model=slow&by=day", memberOf("acme"))).data).toEqual([]);
    expect((await ask("", memberOf("nobody"))).total["requests"]).toBe(0);
  });
});

test("a disabled log has none", async () => {
  const without = await openPlatform(new Map(), { requestLog: { ...requestLog, days: 0 } });
  try {
    const { body } = await without.call(OPERATOR, "showStatistics", { query: "by=day" });
    expect(body).toMatchObject({ retained_from: null, data: [], total: { requests: 0, codes: [], duration_ms: null } });
  } finally {
    await without.stop();
  }
});
