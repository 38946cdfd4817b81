import { afterEach, expect, test } from "bun:test";
import * as fc from "fast-check";
import { formatDollars } from "../../src/money/money.ts";
import { isLong, runs } from "../support/long.ts";
import { openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { naiveRefusals, naiveReply, type Bounds } from "./naive-preview.ts";
import { DAY_MS, happenings, MODELS, pasts, record, type Past } from "./past-requests.ts";
import { naiveCost, prices, type DeclaredPrice } from "./naive-cost.ts";

/** In the middle of a month, after the end of a month within the range, and at midnight. */
const MOMENTS = [Date.parse("2027-03-20T15:30:00Z"), Date.parse("2027-03-03T12:00:00Z"), Date.parse("2027-01-08T00:00:00Z")];

const FIRST_PRICE: DeclaredPrice = {
  input_per_million: 1,
  output_per_million: 2,
  cached_input_per_million: 0.1,
  cache_write_per_million: 1.25,
  reasoning_per_million: 3,
};
const KEPT_PERCENT = 30;

const TIMEOUT_MS = isLong ? 3_600_000 : 300_000;

let open: PlatformInProcess | undefined;

afterEach(async () => {
  await open?.stop();
  open = undefined;
});

/** A platform with two accounts, three keys and three models, and these past requests. */
async function withPast(past: readonly Past[], nowMs: number): Promise<Record<string, string>> {
  await open?.stop();
  open = await openPlatform(new Map(), { nowMs: () => nowMs });
  const upstream = { id: "u", dialect: "openai", base_url: "https://u.example/v1" };
  await made("createUpstream", upstream);
  const routes = [{ upstream: "u", model: "m" }];
  const cache = { ttl_seconds: 60, price_percent: KEPT_PERCENT };
  for (const id of MODELS) await made("createModel", { id, routes, price: FIRST_PRICE, cache });
  const keyIds: Record<string, string> = {};
  for (const account of ["a", "b"]) await made("createAccount", { id: account, name: account });
  for (const name of ["a1", "a2", "b1"]) {
    keyIds[name] = String((await made("createKey", { name, account: name.charAt(0), models: ["*"] }))["id"]);
  }
  const priceOf = (model: string): string => open!.stores.catalog.snapshot().get(model)!.prices[0]!.version;
  await record(happenings(past), open.stores, keyIds, priceOf);
  return keyIds;
}

async function made(operationId: string, body: object, params: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const answer = await open!.call(OPERATOR, operationId, { body, params });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
}

/** The reply, with checked times. */
async function preview(operationId: string, id: string, body: object | undefined, nowMs: number): Promise<Record<string, unknown>> {
  const answer = await open!.call(OPERATOR, operationId, { params: { id }, query: "preview=true", ...(body && { body }) });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  const { from, to, ...rest } = answer.body;
  expect([from, to]).toEqual([new Date(nowMs - 7 * DAY_MS).toISOString(), new Date(nowMs).toISOString()]);
  return rest;
}

const amounts = fc.bigInt({ min: 0n, max: 12_000_000_000n });
const bounds: fc.Arbitrary<Bounds> = fc.record(
  {
    models: fc.subarray(["gpt-*", "gpt-large", "gpt-s*", "other", "o", "none-such"], { minLength: 1 }),
    limits: fc.record(
      { requests: fc.integer({ min: 1, max: 6 }), tokens: fc.integer({ min: 1, max: 3000 }), concurrent: fc.integer({ min: 1, max: 4 }) },
      { requiredKeys: [] },
    ),
    caps: fc.record({ day: amounts, month: amounts, total: amounts }, { requiredKeys: [] }),
  },
  { requiredKeys: ["limits", "caps"] },
);

const moments = fc.constantFrom(...MOMENTS);
const withPasts = moments.chain((nowMs) => fc.record({ nowMs: fc.constant(nowMs), past: pasts(nowMs) }));

test(
  "the preview of key and account restrictions equals a naive model",
  async () => {
    const options = runs(45, 3000);
    const met: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(withPasts, bounds, fc.constantFrom("a", "b", "a1", "a2"), async ({ nowMs, past }, change, who) => {
        const keyIds = await withPast(past, nowMs);
        const isKey = who.length === 2;
        const concerned = happenings(past).filter((each) => (isKey ? each.past.key : each.past.account) === who);
        const refusals = naiveRefusals(concerned, change, nowMs - 7 * DAY_MS);
        for (const code of refusals.values()) met[code] = (met[code] ?? 0) + 1;
        const inSpan = concerned
          .filter(({ what, past: each }) => what === "begin" && each.atMs >= nowMs - 7 * DAY_MS)
          .map((each) => each.past);
        const body = {
          ...(change.models && { models: change.models }),
          limits: {
            requests_per_minute: change.limits.requests ?? null,
            tokens_per_minute: change.limits.tokens ?? null,
            concurrent_requests: change.limits.concurrent ?? null,
          },
          caps: Object.fromEntries(Object.entries(change.caps).map(([name, nanos]) => [name, formatDollars(nanos)])),
        };
        const said = await preview(isKey ? "updateKey" : "updateAccount", isKey ? keyIds[who]! : who, body, nowMs);
        const expected = naiveReply({ requests: inSpan, refusals, chargeOf: ({ charged }) => charged, keyIds });
        expect(said).toEqual({ ...expected, price: null, prices_from: null, replacement: null });
      }),
      options,
    );
    if (options.numRuns === 1) return;
    // Every reason for a rejection must have occurred, and more than once.
    const codes = ["model_not_allowed", "budget_exceeded", "credits_in_flight", "rate_limit_exceeded"];
    expect(codes.filter((code) => (met[code] ?? 0) < 10)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "the preview of a price equals a naive model to the nano-dollar, for calls and cached responses",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        withPasts,
        prices,
        fc.integer({ min: 0, max: 100 }),
        fc.boolean(),
        async ({ nowMs, past }, price, percent, isLater) => {
          const keyIds = await withPast(past, nowMs);
          const later = { ...price, effective: "2028-01-01" };
          const body = {
            ...(isLater ? { prices: [FIRST_PRICE, later] } : { price }),
            cache: { ttl_seconds: 60, price_percent: percent },
          };
          const said = await preview("updateModel", "gpt-small", body, nowMs);
          const chargeOf = (each: Past): bigint => {
            if (each.outcome === "settled") return naiveCost(each.usage, price, 100);
            return each.outcome === "kept" ? naiveCost(each.usage, price, percent) : 0n;
          };
          const requests = past.filter(({ model, atMs }) => model === "gpt-small" && atMs >= nowMs - 7 * DAY_MS);
          expect(said).toMatchObject(naiveReply({ requests, refusals: new Map(), chargeOf, keyIds }));
          expect(said["price"]).toMatchObject({
            input_per_million: price.input_per_million,
            effective_at: isLater ? "2028-01-01T00:00:00.000Z" : "1970-01-01T00:00:00.000Z",
          });
        },
      ),
      runs(8, 1200),
    );
  },
  TIMEOUT_MS,
);

test(
  "a deprecation affects all users of the model and rejects nothing, and a retirement rejects everything",
  async () => {
    await fc.assert(
      fc.asyncProperty(withPasts, async ({ nowMs, past }) => {
        const keyIds = await withPast(past, nowMs);
        const requests = past.filter(({ model, atMs }) => model === "other" && atMs >= nowMs - 7 * DAY_MS);
        const asked = { requests, chargeOf: ({ charged }: Past) => charged, isNoticedByAll: true, keyIds };
        const end = { shutdown_date: "2028-01-01", replacement: "gpt-small" };
        const announced = await preview("deprecateModel", "other", end, nowMs);
        expect(announced).toEqual({
          ...naiveReply({ ...asked, refusals: new Map() }),
          price: null,
          prices_from: null,
          replacement: "gpt-small",
        });
        await made("deprecateModel", end, { id: "other" });
        const ended = await preview("retireModel", "other", undefined, nowMs);
        const refusals = new Map(requests.map((each) => [each, "model_retired"]));
        expect(ended).toEqual({ ...naiveReply({ ...asked, refusals }), price: null, prices_from: null, replacement: "gpt-small" });
      }),
      runs(5, 600),
    );
  },
  TIMEOUT_MS,
);
