import type { Nanos } from "./money.ts";

const MINUTE_MS = 60_000;

/**
 * The limits of requests and tokens within a window: a limit is a row. Schemas, stored documents, counters, messages between processes, metrics,
 * response headers, options of the command line, the console and a table in docs/configuration.md are derived from the rows.
 */
export const WINDOW_LIMITS = [
  {
    name: "requests_per_minute",
    what: "requests",
    counts: "requests",
    windowMs: MINUTE_MS,
    stepMs: 1,
    one: "request per minute",
    many: "requests per minute",
    label: "Requests per minute",
    short: "requests/min",
    option: "requests-per-minute",
  },
  {
    name: "tokens_per_minute",
    what: "tokens",
    counts: "tokens",
    windowMs: MINUTE_MS,
    stepMs: 1,
    one: "token per minute",
    many: "tokens per minute",
    label: "Tokens per minute",
    short: "tokens/min",
    option: "tokens-per-minute",
  },
] as const satisfies readonly WindowLimitRow[];

/** The limit of requests in flight, the last of all. */
const CONCURRENCY_LIMIT = {
  name: "concurrent_requests",
  what: "concurrent",
  one: "concurrent request",
  many: "concurrent requests",
  label: "Max concurrent requests",
  short: "concurrent",
  option: "concurrent",
} as const satisfies LimitRow;

/** The index of the concurrency limit in `RATE_LIMITS`. */
export const CONCURRENCY_AT = WINDOW_LIMITS.length;

/** All limits, the windows first. */
export const RATE_LIMITS = [...WINDOW_LIMITS, CONCURRENCY_LIMIT] as const;

interface LimitRow {
  /** The field in requests, replies and the config file. */
  readonly name: string;
  /** The name in metrics, response headers and the usage of a key. */
  readonly what: string;
  /** The unit after a number: "1 request per minute", "60 requests per minute". */
  readonly one: string;
  readonly many: string;
  /** In forms and tables of the console, and after a number where space is short. */
  readonly label: string;
  readonly short: string;
  /** The option of the command line. */
  readonly option: string;
}

interface WindowLimitRow extends LimitRow {
  /** What a request adds: one request, or its tokens. */
  readonly counts: "requests" | "tokens";
  /** How long it counts. */
  readonly windowMs: number;
  /** Times are rounded up to this step: long windows must not remember each millisecond. */
  readonly stepMs: number;
}

export type RateLimit = (typeof RATE_LIMITS)[number];
export type WindowLimit = (typeof WINDOW_LIMITS)[number];

export const LONGEST_WINDOW_MS = Math.max(...WINDOW_LIMITS.map(({ windowMs }) => windowMs));

/** By the rows of `RATE_LIMITS`: each request reads them, and an index is faster than a name. Null means no limit. */
export interface RateLimits {
  readonly amounts: readonly (number | null)[];
}

type ByName<Rows extends readonly { readonly name: string }[], Value> = { readonly [Row in Rows[number] as Row["name"]]: Value };

/** A value for each of these limits or caps, by name. */
export function byName<const Rows extends readonly { readonly name: string }[], Value>(
  limits: Rows,
  valueOf: (at: number) => Value,
): ByName<Rows, Value> {
  return Object.fromEntries(limits.map(({ name }, at) => [name, valueOf(at)])) as ByName<Rows, Value>;
}

/** Rate limits in requests, replies and the config file. */
export type NamedRates = ByName<typeof RATE_LIMITS, number | null>;

export function readRates(amounts: Partial<NamedRates>): RateLimits {
  return { amounts: RATE_LIMITS.map(({ name }) => amounts[name] ?? null) };
}

export function viewRates({ amounts }: RateLimits): NamedRates {
  return byName(RATE_LIMITS, (at) => amounts[at]!);
}

/** A number in the unit of the limit, such as "60 requests per minute". */
export function describeLimit({ one, many }: RateLimit, count: number, formatted = String(count)): string {
  return `${formatted} ${count === 1 ? one : many}`;
}

/**
 * The rate limits of a key or an account, the rate limits of each of its end users, and, by tag name, the rate limits of each value of a
 * tag.
 */
export interface Limits extends RateLimits {
  readonly perUser?: RateLimits | undefined;
  readonly perTag?: Readonly<Record<string, RateLimits>> | undefined;
}

/** Spend caps per calendar day and month (UTC). Null means no cap. */
export interface PeriodCaps {
  readonly dayNanos: Nanos | null;
  readonly monthNanos: Nanos | null;
}

/**
 * The spend caps of a key or an account, per calendar day and month (UTC) and in total. Also the spend caps of each of its end users and,
 * by tag name, of each value of a tag. Null means no cap.
 */
export interface Caps extends PeriodCaps {
  readonly totalNanos: Nanos | null;
  /** The spend at another gateway before the keys were imported. It counts as spent here until it expires. */
  readonly carried?: CarriedByPeriod | undefined;
  readonly perUser?: PeriodCaps | undefined;
  readonly perTag?: Readonly<Record<string, PeriodCaps>> | undefined;
}

export interface CarriedSpend {
  readonly nanos: Nanos;
  readonly untilMs: number;
}

export type CarriedByPeriod = Partial<Readonly<Record<"day" | "month", CarriedSpend>>>;

/** Spend caps, with their labels in the console and their options in the command line. A total never resets. */
export const SPEND_CAPS = [
  { name: "day", per: "per calendar day (UTC)", label: "Per day", option: "daily-cap" },
  { name: "month", per: "per calendar month (UTC)", label: "Per month", option: "monthly-cap" },
  { name: "total", per: "in total", label: "Total", option: "total-cap" },
] as const;

/** The spend caps of end users and values of tags. */
export const PERIOD_CAPS = [SPEND_CAPS[0], SPEND_CAPS[1]] as const;

export type CapPeriod = (typeof SPEND_CAPS)[number]["name"];

export const CAP_PERIODS: readonly CapPeriod[] = SPEND_CAPS.map(({ name }) => name);

/** The rate limit that rejected a request, and its owner: the key, the account, or an end user or a tag of one of them. */
export interface LimitHit {
  readonly scope: "key" | "account" | "user" | "tag";
  readonly what: RateLimit["what"];
}

export const NO_LIMITS: Limits = readRates({});

export const NO_CAPS: Caps = { dayNanos: null, monthNanos: null, totalNanos: null };

/** The parts of limits or caps that are per end user and per tag. Those that are not set are omitted. */
export interface Parts<Part> {
  readonly perUser?: Part | undefined;
  readonly perTag?: Readonly<Record<string, Part>> | undefined;
}
