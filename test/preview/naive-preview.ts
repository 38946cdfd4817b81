import { formatDollars } from "../../src/money/money.ts";
import { type Happening, type Past, HOUR_MS } from "./past-requests.ts";

/**
 * The expected result of a preview, computed as simply as possible: for each request, all earlier requests are examined again. It shares no
 * code with the preview.
 */

export interface Bounds {
  readonly models?: readonly string[];
  readonly limits: { readonly requests?: number; readonly tokens?: number; readonly concurrent?: number };
  readonly caps: { readonly day?: bigint; readonly month?: bigint; readonly total?: bigint };
}

/** The error codes of the requests in the range that would have been rejected. */
export type Refusals = ReadonlyMap<Past, string>;

/** Decides on the requests in `order`, in sequence. Requests of the hour before the range count as in flight, but are not decided on. */
export function naiveRefusals(order: readonly Happening[], bounds: Bounds, fromMs: number): Refusals {
  const refusals = new Map<Past, string>();
  const limited = new Set<Past>();
  order.forEach(({ what, past }, at) => {
    if (what === "end" || past.atMs < fromMs - HOUR_MS) return;
    const before = order.slice(0, at);
    const isJudged = past.atMs >= fromMs;
    const code = isJudged ? (byList(past, bounds) ?? byCaps(past, bounds, before, refusals, fromMs)) : undefined;
    const isTooFast = code === undefined && byLimits(past, bounds, before, limited);
    if (code === undefined && !isTooFast) limited.add(past);
    const refusal = code ?? (isTooFast && isJudged ? "rate_limit_exceeded" : undefined);
    if (refusal !== undefined) refusals.set(past, refusal);
  });
  return refusals;
}

function byList({ model }: Past, { models }: Bounds): string | undefined {
  if (models === undefined) return undefined;
  const isListed = models.some((each) => each === model || (each.endsWith("*") && model.indexOf(each.slice(0, -1)) === 0));
  return isListed ? undefined : "model_not_allowed";
}

function byCaps(past: Past, { caps }: Bounds, before: readonly Happening[], refused: Refusals, fromMs: number): string | undefined {
  const ended = new Set(before.filter(({ what }) => what === "end").map((each) => each.past));
  const begun = before.filter(({ what }) => what === "begin").map((each) => each.past);
  const counted = begun.filter((each) => !refused.has(each));
  const underWay = counted.filter((each) => !ended.has(each) && each.atMs >= fromMs - HOUR_MS);
  const held = sum(underWay.map((each) => each.held));
  const spentIn = (digits: number): bigint =>
    sum(counted.filter((each) => ended.has(each) && iso(each.endMs, digits) === iso(past.atMs, digits)).map((each) => each.charged));
  const lefts = [
    caps.day === undefined ? [] : caps.day - spentIn(10),
    caps.month === undefined ? [] : caps.month - spentIn(7),
    caps.total === undefined ? [] : caps.total - spentIn(0),
  ].flat();
  const least = lefts.reduce((low, each) => (each < low ? each : low), 10n ** 30n);
  if (past.held === 0n || past.held <= least - held) return undefined;
  return past.held <= least ? "credits_in_flight" : "budget_exceeded";
}

function byLimits(past: Past, { limits }: Bounds, before: readonly Happening[], counted: ReadonlySet<Past>): boolean {
  const begun = before.filter(({ what }) => what === "begin").map((each) => each.past);
  const taken = begun.filter((each) => counted.has(each));
  const lately = taken.filter(({ atMs }) => atMs > past.atMs - 60_000);
  const ended = new Set(before.filter(({ what }) => what === "end").map((each) => each.past));
  if (limits.requests !== undefined && lately.length >= limits.requests) return true;
  const used = lately.reduce((all, each) => all + tokensOf(each), 0);
  if (limits.tokens !== undefined && Math.min(tokensOf(past), limits.tokens) > limits.tokens - used) return true;
  return limits.concurrent !== undefined && taken.filter((each) => !ended.has(each)).length >= limits.concurrent;
}

function tokensOf({ outcome, usage }: Past): number {
  return outcome === "settled" || outcome === "kept" ? usage.promptTokens + usage.completionTokens : 0;
}

function iso(ms: number, digits: number): string {
  return new Date(ms).toISOString().slice(0, digits);
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, each) => all + each, 0n);
}

interface NaivePreviewInput {
  /** The affected requests in the range. */
  readonly requests: readonly Past[];
  readonly refusals: Refusals;
  readonly chargeOf: (past: Past) => bigint;
  readonly isNoticedByAll?: boolean;
  readonly keyIds: Readonly<Record<string, string>>;
}

/** The reply of the preview, without its times, price and replacement. */
export function naiveReply({ requests, refusals, chargeOf, isNoticedByAll = false, keyIds }: NaivePreviewInput): object {
  const wouldBe = (past: Past): bigint => (refusals.has(past) ? 0n : chargeOf(past));
  const row = (of: readonly Past[]): { refused: number; difference: bigint; shown: Record<string, unknown> } => {
    const [was, would] = [sum(of.map((each) => each.charged)), sum(of.map(wouldBe))];
    const refused = of.filter((each) => refusals.has(each)).length;
    const shown = { requests: of.length, refused, charged: formatDollars(was), would_be_charged: formatDollars(would) };
    return { refused, difference: would > was ? would - was : was - would, shown };
  };
  const touched = (nameOf: (past: Past) => string, more: (name: string) => object): object => {
    const names = [...new Set(requests.map(nameOf))];
    const rows = names.map((name) => ({ name, ...row(requests.filter((past) => nameOf(past) === name)) }));
    const met = rows.filter(({ refused, difference }) => isNoticedByAll || refused > 0 || difference > 0n);
    return {
      count: met.length,
      first: met
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .toSorted((a, b) => Number(b.shown["requests"]) - Number(a.shown["requests"]))
        .toSorted((a, b) => Number(b.difference - a.difference))
        .toSorted((a, b) => b.refused - a.refused)
        .map(({ name, shown }) => ({ id: name, ...more(name), ...shown })),
    };
  };
  const all = row(requests);
  const codes = requests.flatMap((past) => refusals.get(past) ?? []);
  const [was, would] = [sum(requests.map((each) => each.charged)), sum(requests.map(wouldBe))];
  const nameOfKey = (id: string): string => Object.entries(keyIds).find(([, each]) => each === id)![0];
  return {
    requests: requests.length,
    refused: all.refused,
    refused_end_users: 0,
    refused_tag_values: 0,
    refused_by: Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length])),
    money: { charged: formatDollars(was), would_be_charged: formatDollars(would), difference: formatDollars(would - was) },
    keys: touched(
      ({ key }) => keyIds[key]!,
      (id) => ({ name: nameOfKey(id), account: nameOfKey(id).charAt(0) }),
    ),
    models: touched(
      ({ model }) => model,
      () => ({}),
    ),
  };
}
