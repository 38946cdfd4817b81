import { isImpossibleDate, parseIsoDate } from "../lib/time/iso-date.ts";
import { parseDollars } from "../money/money.ts";
import { UsageError, type Option, type Reader } from "./command.ts";

/** The types of options. Each has a field in the platform API and a meaning. */

export function text(field: string, meaning: string, value = "TEXT"): Option {
  return { field, meaning, value };
}

export function count(field: string, meaning: string): Option {
  return { field, meaning, value: "N", read: readCount };
}

/** A count within bounds. */
export function countBetween(least: number, most: number, { read, ...option }: Option): Option {
  return {
    ...option,
    read(given, name) {
      const number = read!(given, name) as number;
      if (number >= least && number <= most) return number;
      throw new UsageError(`${name} must be between ${least} and ${most}, not ${given}`);
    },
  };
}

export function dollars(field: string, meaning: string): Option {
  return { field, meaning, value: "DOLLARS", read: readDollars };
}

/** Filters by a key. */
export function keyId(field: string, meaning: string): Option {
  return { field, meaning, value: "ID", read: readKeyId };
}

/** Values separated by commas. */
export function list(field: string, meaning: string): Option {
  return { field, meaning, value: "LIST", read: (given) => given.split(",").map((each) => each.trim()) };
}

export function choice(field: string, choices: readonly string[], meaning: string): Option {
  return { field, meaning, value: choices.join("|"), choices };
}

/** A future time: in hours or days, or a date. */
export function moment(field: string, meaning: string): Option {
  return { field, meaning, value: "WHEN", read: readMoment };
}

/** A past time: minutes, hours or days ago, or a date. */
export function momentAgo(field: string, meaning: string): Option {
  return { field, meaning, value: "WHEN", read: readMomentAgo };
}

/** The limits of a duration, which its help and its messages name. */
interface DurationLimits {
  readonly maxDays: number;
  /** The meaning of 0. If there is none, 0 is rejected. */
  readonly zero?: string;
}

export function duration(field: string, meaning: string, limits: DurationLimits): Option {
  const form = `such as 30m, 24h or 7d (at most ${limits.maxDays}d)${limits.zero === undefined ? "" : `, or 0 for ${limits.zero}`}`;
  return {
    field,
    meaning: `${meaning} ${form}`,
    value: "DURATION",
    read(given, name) {
      const seconds = given === "0" ? 0 : secondsIn(given);
      const isValid = seconds === 0 ? limits.zero !== undefined : seconds !== undefined && seconds <= limits.maxDays * SECONDS.d;
      if (isValid) return seconds;
      throw new UsageError(`${name} must be a duration ${form}`);
    },
  };
}

/** The grace period of a rotation, of keys and webhooks. */
export const GRACE_PERIOD: Option = duration("grace_period_seconds", "grace period for the old secret (default: 24h): a duration", {
  maxDays: 30,
  zero: "none",
});

/** A calendar day (UTC): in a number of days, or a date. */
export function day(field: string, meaning: string): Option {
  return { field, meaning: `${meaning}: 30d, or a date such as 2027-06-30`, value: "DAY", read: readDay };
}

/** Dollars per million tokens, which are numbers in the platform API. */
export function rate(field: string, meaning: string): Option {
  return { field, meaning, value: "DOLLARS", read: (given, name) => Number(readDollars(given, name)) };
}

/** Also accepts true and false, as in the platform API and the config file. */
export function yesOrNo(field: string, meaning: string): Option {
  const choices = ["yes", "no", "true", "false"];
  return { field, meaning, value: "yes|no", choices, read: (given) => given === "yes" || given === "true" };
}

export function onOrOff(field: string, meaning: string): Option {
  return { ...choice(field, ["on", "off"], meaning), read: (given) => given === "on" };
}

/** Structured values with too many parts for separate options. */
export function json(field: string, meaning: string): Option {
  return { field, meaning, value: "JSON", read: readJson };
}

/** A required option. `advice` is the message if it is missing, with an example. */
export function required(option: Option, advice: string): Option {
  return { ...option, required: advice };
}

/** An option whose value may be `none`, which clears the field. */
export function clearable(option: Option): Option {
  const { choices, value, read = (given) => given } = option;
  return {
    ...option,
    ...(choices && { choices: [...choices, "none"], value: `${value}|none` }),
    read: (given, name) => (given === "none" ? null : readOrNone(read, given, name)),
  };
}

function readOrNone(read: Reader, given: string, name: string): unknown {
  try {
    return read(given, name);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${error.message}, or none`) : error;
  }
}

/** A plaintext key must not be sent in a URL: URLs are logged. */
export const readKeyId: Reader = (given, name) => {
  if (!given.startsWith("sk-service-")) return given;
  throw new UsageError(`${name} must be the ID of the key, not the key itself: the 12 characters after sk-service-`);
};

export const readDollars: Reader = (given, name) => {
  if (parseDollars(given) !== undefined) return given;
  throw new UsageError(`${name} must be an amount in dollars, such as 12.50, not ${JSON.stringify(given)}`);
};

const readJson: Reader = (given, name) => {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    throw new UsageError(`${name} must be JSON`);
  }
};

const readCount: Reader = (given, name) => {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`${name} must be a whole number`);
};

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;
const MAX_SECONDS = 100 * 365 * SECONDS.d;

/** The seconds of `30m`, `24h` or `7d`. Undefined for any other text. */
function secondsIn(given: string): number | undefined {
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(given) ?? [];
  return amount === undefined ? undefined : Number(amount) * SECONDS[unit as keyof typeof SECONDS];
}

const readMoment: Reader = (given, name) => {
  const seconds = secondsIn(given);
  if (seconds !== undefined) return inFuture(seconds, name).toISOString();
  if (parseIsoDate(given) !== undefined) return given;
  throw new UsageError(`${name} must be a duration such as 12h or 30d, or a date such as 2027-01-31`);
};

const readDay: Reader = (given, name) => {
  const seconds = /^\d+d$/.test(given) ? secondsIn(given) : undefined;
  if (seconds !== undefined) return inFuture(seconds, name).toISOString().slice(0, 10);
  if (/^\d{4}-\d\d-\d\d$/.test(given) && parseIsoDate(given) !== undefined) return given;
  throw new UsageError(`${name} must be a number of days such as 30d, or a date such as 2027-06-30`);
};

function inFuture(seconds: number, name: string): Date {
  if (seconds > MAX_SECONDS) throw new UsageError(`${name} must be at most a hundred years away`);
  return new Date(Date.now() + seconds * 1000);
}

const readMomentAgo: Reader = (given, name) => {
  const seconds = secondsIn(given);
  if (seconds !== undefined && seconds <= MAX_SECONDS) return new Date(Date.now() - seconds * 1000).toISOString();
  if (parseIsoDate(given) !== undefined) return given;
  if (isImpossibleDate(given)) throw new UsageError(`${name} is ${given}, which does not exist in the calendar`);
  throw new UsageError(`${name} must be a duration such as 15m, 2h or 7d, or a date such as 2027-01-31 or 2027-01-31T12:00:00Z`);
};
