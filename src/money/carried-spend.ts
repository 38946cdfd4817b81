import type { Infer } from "../lib/schema/infer.ts";
import { dollarsSchema } from "./declared-limits.ts";
import type { Caps, Carried, CarriedSpend } from "./limits.ts";
import { formatDollars, parseDollars } from "./money.ts";
import type { Schema } from "../lib/schema/schema.ts";

const periodSchema = {
  title: "CarriedPeriod",
  type: "object",
  nullable: true,
  additionalProperties: false,
  required: ["amount", "until"],
  properties: {
    amount: { ...dollarsSchema, description: "What was spent at the other gateway, in dollars." },
    until: {
      type: "string",
      pattern: "^[0-9TZ:.+-]{10,35}$",
      patternInWords: "a time, such as 2027-01-31T12:00:00Z",
      description: "The time until which it counts.",
    },
  },
} as const satisfies Schema;

/** Spend at another gateway, which the import carries over. */
export const carriedSpendSchema = {
  title: "CarriedSpend",
  type: "object",
  nullable: true,
  additionalProperties: false,
  required: ["day", "month"],
  description:
    "What was spent at another gateway in the current period. It counts against the spend caps of the day and the month; null for none.",
  properties: { day: periodSchema, month: periodSchema },
} as const satisfies Schema;

type WireCarriedSpend = NonNullable<Infer<typeof carriedSpendSchema>>;

type WirePeriod = NonNullable<WireCarriedSpend["day"]>;

/** `readTime` throws for a time that cannot be read. */
export function readCarried(wire: WireCarriedSpend | null | undefined, readTime: (text: string) => number): Carried | undefined {
  const read = ({ amount, until }: WirePeriod): CarriedSpend => ({ nanos: parseDollars(amount)!, untilMs: readTime(until) });
  if (!wire?.day && !wire?.month) return undefined;
  return { ...(wire.day && { day: read(wire.day) }), ...(wire.month && { month: read(wire.month) }) };
}

export function viewCarried({ carried }: Caps): WireCarriedSpend | null {
  return carried === undefined ? null : { day: viewPeriod(carried.day), month: viewPeriod(carried.month) };
}

function viewPeriod(spend: CarriedSpend | undefined): WirePeriod | null {
  return spend === undefined ? null : { amount: formatDollars(spend.nanos), until: new Date(spend.untilMs).toISOString() };
}
