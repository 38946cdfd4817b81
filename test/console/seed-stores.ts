import { SeededRandom } from "../support/random.ts";
import { DAY_MS, priceOf, writeHistory, type PastRequest } from "./write-history.ts";

const PRICE = priceOf(0.4, 1.6);

export interface SeedOptions {
  /** The data folder of a stopped gateway. */
  readonly dataFolder: string;
  readonly requests: number;
  readonly days: number;
  readonly endMs: number;
  readonly keys: readonly { readonly id: string; readonly account: string }[];
  readonly models: readonly string[];
}

/** Writes past requests, spread over days, into the ledger and the request log. */
export function seedStores(past: SeedOptions): Promise<void> {
  const { dataFolder, days, endMs } = past;
  return writeHistory({ dataFolder, days, endMs, requests: pastRequests(past), countsBalances: false });
}

function* pastRequests(past: SeedOptions): Generator<PastRequest> {
  const random = new SeededRandom(7);
  const roll = (): number => random.next();
  for (let at = 0; at < past.requests; at++) yield pastRequest(at, past, roll);
}

function pastRequest(at: number, { requests, days, endMs, keys, models }: SeedOptions, roll: () => number): PastRequest {
  const spanMs = days * DAY_MS;
  const atMs = Math.floor(endMs - spanMs + byDay(at / requests, days) * spanMs);
  // A few keys have most of the traffic.
  const key = keys[Math.floor(keys.length * roll() ** 2)]!;
  const slowness = Math.exp(roll() + roll() + roll() - 1.5);
  const chance = roll();
  const [promptTokens, completionTokens] = [Math.floor(200 + 3000 * roll() ** 2), Math.floor(20 + 900 * roll() ** 2)];
  return {
    atMs,
    keyId: key.id,
    account: key.account,
    model: models[Math.floor(models.length * roll() ** 2)]!,
    isStream: roll() < 0.7,
    code: chance < 0.012 ? "rate_limit_exceeded" : chance < 0.018 ? "insufficient_credits" : chance < 0.022 ? "upstream_error" : undefined,
    durationMs: 900 * slowness + completionTokens * 4,
    firstTokenMs: 280 * slowness,
    promptTokens,
    completionTokens,
    price: PRICE,
    upstream: "openai",
    upstreamModel: "gpt-4o-mini",
  };
}

/** Spreads requests over the day, with little traffic at night. */
function byDay(share: number, days: number): number {
  return share - (0.8 * Math.sin(2 * Math.PI * share * days)) / (2 * Math.PI * days);
}
