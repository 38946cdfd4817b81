import { type Fail, type Path, isObject, type Schema } from "../lib/schema/schema.ts";
import {
  NO_CAPS,
  NO_LIMITS,
  byName,
  RATE_LIMITS,
  readRates,
  viewRates,
  type Caps,
  type CarriedByPeriod,
  type Limits,
  type Parts,
  type PeriodCaps,
  type CarriedSpend,
} from "./limits.ts";
import { setting } from "../lib/schema/settings.ts";
import { formatDollars, parseDollars, type Nanos } from "./money.ts";
import { namesOf, type Infer } from "../lib/schema/infer.ts";
import { MAX_TAGS, tagNameSchema } from "./tag-names.ts";

const limitSchema = { type: "integer", minimum: 1, maximum: 1_000_000_000, nullable: true } as const satisfies Schema;

/** An amount of dollars, as text: a JSON number may not represent it exactly. */
export const dollarsSchema = {
  type: "string",
  pattern: "^\\d{1,9}(\\.\\d{1,9})?$",
  patternInWords: 'an amount of dollars as text, such as "12.50"',
} as const satisfies Schema;

export const lowCreditSchema = {
  ...dollarsSchema,
  nullable: true,
  description:
    "An alert is raised when the credit falls below this, in dollars. If it is null, an alert is raised when all of it is spent or a request is rejected because of it.",
} as const satisfies Schema;

const rateLimitsSchema = {
  title: "RateLimits",
  type: "object",
  form: "{ requests_per_minute: 60 }",
  nullable: true,
  additionalProperties: false,
  description: "Rate limits of each end user: of all requests with the same user. Fields that are null or omitted are not limited.",
  properties: byName(RATE_LIMITS, () => limitSchema),
} as const satisfies Schema;

/** An object with a part per tag name. */
function tagPartsSchema<const Part extends Schema>(part: Part, description: string) {
  return {
    type: "object",
    form: "{ team: … }",
    nullable: true,
    maxProperties: MAX_TAGS,
    propertyNames: tagNameSchema,
    additionalProperties: part,
    description,
  } as const satisfies Schema;
}

export const limitsSchema = {
  title: "LimitsInput",
  type: "object",
  form: "{ requests_per_minute: 60 }",
  additionalProperties: false,
  description: "Rate limits. Fields that are null or omitted are not limited.",
  properties: {
    ...byName(RATE_LIMITS, () => limitSchema),
    per_user: rateLimitsSchema,
    per_tag: tagPartsSchema(rateLimitsSchema, "Rate limits of each value of a tag, by the names of tags."),
  },
} as const satisfies Schema;

/** Limits in responses, which have every field. */
export const shownLimitsSchema = {
  title: "Limits",
  type: "object",
  required: namesOf(limitsSchema.properties),
  description: "Rate limits. Fields that are null are not limited.",
  properties: limitsSchema.properties,
} as const satisfies Schema;

/** The schema of spend caps whose amounts have this schema. */
export function capsSchemaOf<const Amount extends Schema>(amount: Amount) {
  const periods = {
    title: "PeriodCaps",
    type: "object",
    form: '{ day: "5" }',
    nullable: true,
    additionalProperties: false,
    description:
      "Spend caps of each end user in dollars, per calendar day and month (UTC). Requests without a user count as one user. Fields that are null or omitted are not capped.",
    properties: { day: amount, month: amount },
  } as const satisfies Schema;
  return {
    title: "CapsInput",
    type: "object",
    form: '{ month: "250" }',
    additionalProperties: false,
    description: "Spend caps in dollars, per calendar day and month (UTC) and in total. Fields that are null or omitted are not capped.",
    properties: {
      day: amount,
      month: amount,
      total: amount,
      per_user: periods,
      per_tag: tagPartsSchema(
        periods,
        "Spend caps of each value of a tag, by the names of tags. Requests without the tag count as one value.",
      ),
    },
  } as const satisfies Schema;
}

export const capsSchema = capsSchemaOf({ ...dollarsSchema, nullable: true });

/** Spend caps in responses, which have every field. */
export const shownCapsSchema = {
  title: "Caps",
  type: "object",
  required: namesOf(capsSchema.properties),
  description: "Spend caps in dollars, per calendar day and month (UTC) and in total. Fields that are null are not capped.",
  properties: capsSchema.properties,
} as const satisfies Schema;

/** Limits in requests and responses. */
export type WireLimits = Infer<typeof limitsSchema>;
export type WireCaps = Infer<typeof capsSchema>;

type WirePeriods = NonNullable<WireCaps["per_user"]>;

/** The parts for end users and tags. */
interface WireParts<Part> {
  readonly per_user?: Part | null;
  readonly per_tag?: Readonly<Record<string, Part | null>> | null;
}

export function readLimits(wire: WireLimits | undefined): Limits {
  return { ...readRates(wire ?? {}), ...readWireParts(wire, readRates) };
}

/** Merges a change: given fields replace, omitted fields stay, and null clears. The same applies to the fields of each part. */
export function changeLimits(limits: Limits, changes: WireLimits | undefined): Limits {
  return readLimits(mergeFields(viewLimits(limits), changes));
}

export function viewLimits(limits: Limits): Required<WireLimits> {
  return { ...viewRates(limits), ...viewParts(limits, viewRates) };
}

export function readCaps(wire: WireCaps | undefined): Caps {
  return { ...readPeriods(wire ?? {}), totalNanos: readDollars(wire?.total), ...readWireParts(wire, readPeriods) };
}

/** Merges a change like `changeLimits`. */
export function changeCaps(caps: Caps, changes: WireCaps | undefined): Caps {
  return withCarried(readCaps(mergeFields(viewCaps(caps), changes)), caps.carried);
}

export function withCarried(caps: Caps, carried: CarriedByPeriod | undefined): Caps {
  return carried === undefined ? caps : { ...caps, carried };
}

export function viewCaps(caps: Caps): Required<WireCaps> {
  return { ...viewPeriods(caps), total: viewDollars(caps.totalNanos), ...viewParts(caps, viewPeriods) };
}

function readPeriods({ day, month }: WirePeriods): PeriodCaps {
  return { dayNanos: readDollars(day), monthNanos: readDollars(month) };
}

function viewPeriods({ dayNanos, monthNanos }: PeriodCaps): Required<WirePeriods> {
  return { day: viewDollars(dayNanos), month: viewDollars(monthNanos) };
}

/** Parts in which nothing is set are omitted. */
function readWireParts<Wire extends object, Part>(wire: WireParts<Wire> | undefined, read: (part: Wire) => Part): Parts<Part> {
  const perUser = wire?.per_user;
  const perTag = Object.entries(wire?.per_tag ?? {}).flatMap(([name, part]) => (isSet(part) ? [[name, read(part)] as const] : []));
  return { ...(isSet(perUser) && { perUser: read(perUser) }), ...(perTag.length > 0 && { perTag: Object.fromEntries(perTag) }) };
}

function isSet<Wire extends object>(part: Wire | null | undefined): part is Wire {
  return part != null && Object.values(part).some((value) => value !== null);
}

function viewParts<Part, Wire>({ perUser, perTag }: Parts<Part>, view: (part: Part) => Wire): Required<WireParts<Wire>> {
  const tags = perTag && Object.fromEntries(Object.entries(perTag).map(([name, part]) => [name, view(part)]));
  return { per_user: perUser ? view(perUser) : null, per_tag: tags ?? null };
}

/** Like JSON merge patch (RFC 7396), but null stays. */
function mergeFields<Fields extends object>(fields: Fields, changes: Partial<Fields> | undefined): Fields {
  const merged = { ...fields } as Record<string, unknown>;
  for (const [name, change] of Object.entries(changes ?? {})) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(change) ? mergeFields(before, change) : change;
  }
  return merged as Fields;
}

/** Undefined and null both mean unset. */
export function readDollars(text: string | null | undefined): Nanos | null {
  return text == null ? null : parseDollars(text)!;
}

export function viewDollars(nanos: Nanos | null): string | null {
  return nanos === null ? null : formatDollars(nanos);
}

const periodSchema = {
  title: "CarriedPeriod",
  type: "object",
  nullable: true,
  additionalProperties: false,
  required: ["amount", "until"],
  properties: {
    amount: { ...dollarsSchema, description: "The spend at the other gateway, in dollars." },
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
    "The spend at another gateway in the current period. It counts against the spend caps of the day and the month; null for none.",
  properties: { day: periodSchema, month: periodSchema },
} as const satisfies Schema;

type WireCarriedSpend = NonNullable<Infer<typeof carriedSpendSchema>>;

type WirePeriod = NonNullable<WireCarriedSpend["day"]>;

/** `readTime` throws for a time that cannot be read. */
export function readCarried(wire: WireCarriedSpend | null | undefined, readTime: (text: string) => number): CarriedByPeriod | undefined {
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

/** In a config file an amount may be unquoted: its digits are read exactly. */
export const fileDollarsSchema = { nullable: true, oneOf: [{ type: "number", minimum: 0 }, dollarsSchema] } as const satisfies Schema;

type FileDollars = number | string | null;

/** Spend caps in a config file. */
interface FileCaps {
  readonly [name: string]: FileDollars | FileCaps | undefined;
}

/** Amounts that are not quoted as text, at any depth. */
function capsAsText(caps: FileCaps, path: Path, fail: Fail): WireCaps {
  const texts = Object.entries(caps).map(([name, value]) => {
    const at = [...path, name];
    return [name, isObject(value) ? capsAsText(value, at, fail) : asText(value ?? null, at, fail)];
  });
  return Object.fromEntries(texts) as WireCaps;
}

/** An amount of a config file as text. */
export function asText(amount: FileDollars, path: Path, fail: Fail): string | null {
  if (typeof amount !== "number") return amount;
  const text = String(amount);
  return new RegExp(dollarsSchema.pattern).test(text)
    ? text
    : fail(path, "must be a dollar amount with at most nine digits before and nine digits after the decimal point");
}

export const limitsSetting = setting({
  wire: { limits: limitsSchema },
  view: { limits: shownLimitsSchema },
  initial: NO_LIMITS,
  change: (value, { limits }) => changeLimits(value, limits),
  show: (limits) => ({ limits: viewLimits(limits) }),
});

export const capsSetting = setting({
  wire: { caps: capsSchema },
  file: { caps: capsSchemaOf(fileDollarsSchema) },
  fromFile: ({ caps }, fail) => (caps === undefined ? {} : { caps: capsAsText(caps, ["caps"], fail) }),
  view: { caps: shownCapsSchema, carried_spend: carriedSpendSchema },
  initial: NO_CAPS,
  change: (value, { caps }) => changeCaps(value, caps),
  show: (caps) => ({ caps: viewCaps(caps), carried_spend: viewCarried(caps) }),
  restore: ({ caps, carried_spend: carried }) => withCarried(readCaps(caps), readCarried(carried, Date.parse)),
});
