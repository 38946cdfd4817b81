import { parseIsoDate } from "../lib/time/iso-date.ts";
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

export function duration(field: string, meaning: string): Option {
  return { field, meaning, value: "TIME", read: readSeconds };
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

const HOURS = { h: 1, d: 24 } as const;
const MAX_HOURS = 100 * 365 * 24;

const readMoment: Reader = (given, name) => {
  const [, amount, unit] = /^(\d+)([hd])$/.exec(given) ?? [];
  if (amount === undefined) {
    if (parseIsoDate(given) === undefined) throw new UsageError(`${name} must be 12h, 30d, or a date such as 2027-01-31`);
    return given;
  }
  const hours = Number(amount) * HOURS[unit as "h" | "d"];
  if (hours > MAX_HOURS) throw new UsageError(`${name} is more than a hundred years away; omit it for never`);
  return new Date(Date.now() + hours * 3_600_000).toISOString();
};

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;

const readMomentAgo: Reader = (given, name) => {
  const [, amount, unit] = /^(\d{1,9})([mhd])$/.exec(given) ?? [];
  const seconds = amount === undefined ? undefined : Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  if (seconds !== undefined && seconds <= MAX_HOURS * 3600) return new Date(Date.now() - seconds * 1000).toISOString();
  if (parseIsoDate(given) !== undefined) return given;
  throw new UsageError(`${name} must be 15m, 2h, 7d, or a date such as 2027-01-31 or 2027-01-31T12:00:00Z`);
};

const readSeconds: Reader = (given, name) => {
  const [, amount, unit] = /^(\d{1,9})([mhd])$/.exec(given) ?? [];
  if (amount !== undefined) return Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  if (given === "0") return 0;
  throw new UsageError(`${name} must be 30m, 24h, 7d, or 0`);
};
