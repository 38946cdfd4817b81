import type { Caps, Limits } from "./limits.ts";
import { formatDollars, parseDollars, type Nanos } from "./money.ts";
import type { Schema } from "../lib/schema/schema.ts";

const perMinute: Schema = { type: "integer", minimum: 1, maximum: 1_000_000_000, nullable: true };

/** An amount of dollars, as text: a JSON number may not hold it exactly. */
export const dollarsSchema: Schema = {
  type: "string",
  pattern: "^\\d{1,9}(\\.\\d{1,9})?$",
  patternInWords: 'an amount of dollars as text, such as "12.50"',
};

export const lowCreditSchema: Schema = {
  ...dollarsSchema,
  nullable: true,
  description:
    "An alert is raised when the credit falls below this, in dollars. Where it is null, when all of it is spent or a request is rejected because of it.",
};

export const limitsSchema = {
  title: "LimitsInput",
  type: "object",
  form: "{ requests_per_minute: 60 }",
  additionalProperties: false,
  description: "Rate limits. Fields that are null or omitted are not limited.",
  properties: { requests_per_minute: perMinute, tokens_per_minute: perMinute, concurrent_requests: perMinute },
} as const satisfies Schema;

/** Limits in responses, which have every field. */
export const shownLimitsSchema: Schema = {
  title: "Limits",
  type: "object",
  required: Object.keys(limitsSchema.properties),
  description: "Rate limits. Fields that are null are not limited.",
  properties: limitsSchema.properties,
};

export const capsSchema = {
  title: "CapsInput",
  type: "object",
  form: '{ month: "250" }',
  additionalProperties: false,
  description: "Spend caps in dollars, per calendar day and month (UTC) and in total. Fields that are null or omitted are not capped.",
  properties: {
    day: { ...dollarsSchema, nullable: true },
    month: { ...dollarsSchema, nullable: true },
    total: { ...dollarsSchema, nullable: true },
  },
} as const satisfies Schema;

/** Spend caps in responses, which have every field. */
export const shownCapsSchema: Schema = {
  title: "Caps",
  type: "object",
  required: Object.keys(capsSchema.properties),
  description: "Spend caps in dollars, per calendar day and month (UTC) and in total. Fields that are null are not capped.",
  properties: capsSchema.properties,
};

/** Limits in requests and responses. */
export interface WireLimits {
  readonly requests_per_minute?: number | null;
  readonly tokens_per_minute?: number | null;
  readonly concurrent_requests?: number | null;
}

export interface WireCaps {
  readonly day?: string | null;
  readonly month?: string | null;
  readonly total?: string | null;
}

export function readLimits(wire: WireLimits | undefined): Limits {
  return {
    requestsPerMinute: wire?.requests_per_minute ?? null,
    tokensPerMinute: wire?.tokens_per_minute ?? null,
    concurrentRequests: wire?.concurrent_requests ?? null,
  };
}

/** Merges a change: given fields replace, omitted fields stay, and null clears. */
export function changeLimits(limits: Limits, changes: WireLimits | undefined): Limits {
  return readLimits({ ...viewLimits(limits), ...changes });
}

export function viewLimits({ requestsPerMinute, tokensPerMinute, concurrentRequests }: Limits): Required<WireLimits> {
  return { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute, concurrent_requests: concurrentRequests };
}

export function readCaps(wire: WireCaps | undefined): Caps {
  return { dayNanos: readDollars(wire?.day), monthNanos: readDollars(wire?.month), totalNanos: readDollars(wire?.total) };
}

/** As with limits. */
export function changeCaps(caps: Caps, changes: WireCaps | undefined): Caps {
  return readCaps({ ...viewCaps(caps), ...changes });
}

export function viewCaps({ dayNanos, monthNanos, totalNanos }: Caps): Required<WireCaps> {
  return { day: viewDollars(dayNanos), month: viewDollars(monthNanos), total: viewDollars(totalNanos) };
}

/** Undefined and null both mean unset. */
export function readDollars(text: string | null | undefined): Nanos | null {
  return text == null ? null : parseDollars(text)!;
}

export function viewDollars(nanos: Nanos | null): string | null {
  return nanos === null ? null : formatDollars(nanos);
}
