import type { Nanos } from "./money.ts";

/** Rate limits. Null where none is set. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** The rate limits of a key or an account, and those of each of its end users, and of each value of a tag, by the tag's name. */
export interface Limits extends RateLimits {
  readonly perUser?: RateLimits | undefined;
  readonly perTag?: Readonly<Record<string, RateLimits>> | undefined;
}

/** Spend caps per calendar day and month (UTC). Null where none is set. */
export interface PeriodCaps {
  readonly dayNanos: Nanos | null;
  readonly monthNanos: Nanos | null;
}

/**
 * The spend caps of a key or an account, per calendar day and month (UTC) and in total, and those of each of its end users, and of each value of
 * a tag, by the tag's name. Null where none is set.
 */
export interface Caps extends PeriodCaps {
  readonly totalNanos: Nanos | null;
  /** What was spent at another gateway before the keys were imported. It counts as spent here until its time. */
  readonly carried?: Carried | undefined;
  readonly perUser?: PeriodCaps | undefined;
  readonly perTag?: Readonly<Record<string, PeriodCaps>> | undefined;
}

export interface CarriedSpend {
  readonly nanos: Nanos;
  readonly untilMs: number;
}

export type Carried = Partial<Readonly<Record<"day" | "month", CarriedSpend>>>;

/** The periods of spend caps. A total never resets. */
export const CAP_PERIODS = ["day", "month", "total"] as const;

export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The rate limit that rejected a request, and whether it was the key's, the account's, or that of an end user or a tag of one of them. */
export interface LimitHit {
  readonly scope: "key" | "account" | "user" | "tag";
  readonly what: "requests" | "tokens" | "concurrent";
}

export const NO_LIMITS: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

export const NO_CAPS: Caps = { dayNanos: null, monthNanos: null, totalNanos: null };

/** Limits as they are stored: JSON without the limits that are not set. */
export function writeLimits(limits: Limits): string {
  return JSON.stringify(limits, (_, value: unknown) => value ?? undefined);
}

export function readLimits(text: string): Limits {
  const { perUser, perTag, ...stored } = JSON.parse(text) as Partial<Limits>;
  const limits = { ...NO_LIMITS, ...stored };
  return perUser || perTag ? { ...limits, ...readParts({ perUser, perTag }, (part) => ({ ...NO_LIMITS, ...part })) } : limits;
}

/** The parts of limits or caps that are per end user and per tag. Those that are not set are omitted. */
export interface Parts<Part> {
  readonly perUser?: Part | undefined;
  readonly perTag?: Readonly<Record<string, Part>> | undefined;
}

/** Converts each part. */
function readParts<From, To>({ perUser, perTag }: Parts<From>, read: (part: From) => To): Parts<To> {
  return {
    ...(perUser && { perUser: read(perUser) }),
    ...(perTag && { perTag: Object.fromEntries(Object.entries(perTag).map(([name, part]) => [name, read(part)])) }),
  };
}

/** Caps as they are stored: nano-dollars as text, because they may exceed what a JSON number can hold. */
export function writeCaps(caps: Caps): string {
  return JSON.stringify(caps, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : (value ?? undefined)));
}

type StoredCaps = Partial<Record<"dayNanos" | "monthNanos" | "totalNanos", string>>;
type StoredCarried = Partial<Record<"day" | "month", { readonly nanos: string; readonly untilMs: number }>>;

export function readCaps(text: string): Caps {
  const stored = JSON.parse(text) as StoredCaps & Parts<StoredCaps> & { readonly carried?: StoredCarried };
  return {
    ...readPeriods(stored),
    totalNanos: readNanos(stored.totalNanos),
    ...(stored.carried && { carried: readCarried(stored.carried) }),
    ...readParts(stored, readPeriods),
  };
}

function readCarried({ day, month }: StoredCarried): Carried {
  return { ...(day && { day: { ...day, nanos: BigInt(day.nanos) } }), ...(month && { month: { ...month, nanos: BigInt(month.nanos) } }) };
}

function readPeriods({ dayNanos, monthNanos }: StoredCaps): PeriodCaps {
  return { dayNanos: readNanos(dayNanos), monthNanos: readNanos(monthNanos) };
}

function readNanos(text: string | undefined): Nanos | null {
  return text === undefined ? null : BigInt(text);
}
