import { SeededRandom } from "../../test/support/random.ts";
import { DAY_MS, priceOf, type PastRequest } from "../../test/console/write-history.ts";
import type { DemoKey } from "./accounts.ts";
import { demoModel, MODELS } from "./catalog.ts";

const HOUR_MS = 3_600_000;
/** The share of traffic by hour of day: office hours, and a nightly job. */
const HOURS = [3, 2, 6, 6, 2, 2, 3, 6, 12, 18, 21, 20, 16, 18, 21, 20, 18, 14, 10, 8, 7, 6, 5, 4];
const WEEKEND = 0.35;

const PRICES = new Map(MODELS.map(({ id, price }) => [id, priceOf(...price)]));

export interface IssuedKey extends DemoKey {
  readonly id: string;
}

/** The requests of these days in order: busy by day, quiet at night and on weekends, and growing each week. */
export function* demoTraffic(keys: readonly IssuedKey[], days: number, endMs: number, aDay: number): Generator<PastRequest> {
  const random = new SeededRandom(20);
  const roll = (): number => random.next();
  const startMs = endMs - days * DAY_MS;
  for (let hourMs = startMs; hourMs < endMs; hourMs += HOUR_MS) {
    const count = Math.round(busyness(hourMs) * (0.85 + 0.3 * roll()) * (0.8 + (0.4 * (hourMs - startMs)) / (endMs - startMs)) * aDay);
    const times = Array.from({ length: count }, () => Math.floor(hourMs + roll() * HOUR_MS));
    for (const atMs of times.toSorted((a, b) => a - b)) yield demoRequest(keys, atMs, roll);
  }
}

/** The share of a day's requests in this hour. */
function busyness(hourMs: number): number {
  const at = new Date(hourMs);
  const isWeekend = at.getUTCDay() % 6 === 0;
  return (HOURS[at.getUTCHours()]! / HOURS.reduce((sum, part) => sum + part)) * (isWeekend ? WEEKEND : 1);
}

function demoRequest(keys: readonly IssuedKey[], atMs: number, roll: () => number): PastRequest {
  const key = pick(keys, roll);
  const model = demoModel(key.calls[Math.floor(key.calls.length * roll() ** 2)]!);
  const [promptTokens, completionTokens] = [Math.floor(300 + 9000 * roll() ** 2.2), Math.floor(30 + 1500 * roll() ** 2)];
  const slowness = Math.exp((roll() + roll() + roll() - 1.5) * 0.9);
  const fellOver = model.upstreams.length > 1 && roll() < 0.02;
  const firstTokenMs = model.firstTokenMs * slowness * (fellOver ? 1.7 : 1);
  return {
    atMs,
    keyId: key.id,
    account: key.account,
    model: model.id,
    isStream: roll() < 0.7,
    code: refusal(roll()),
    durationMs: firstTokenMs + completionTokens * model.tokenMs * (0.7 + 0.6 * roll()),
    firstTokenMs,
    promptTokens,
    completionTokens,
    price: PRICES.get(model.id)!,
    upstream: model.upstreams[fellOver ? 1 : 0]!,
    upstreamModel: model.id,
    failedOverFrom: fellOver ? model.upstreams[0] : undefined,
  };
}

function pick(keys: readonly IssuedKey[], roll: () => number): IssuedKey {
  let left = roll() * keys.reduce((sum, { weight }) => sum + weight, 0);
  return keys.find(({ weight }) => (left -= weight) < 0) ?? keys[0]!;
}

function refusal(chance: number): PastRequest["code"] {
  if (chance < 0.008) return "rate_limit_exceeded";
  if (chance < 0.012) return "upstream_error";
  if (chance < 0.015) return "model_not_allowed";
  return chance < 0.016 ? "insufficient_credits" : undefined;
}
