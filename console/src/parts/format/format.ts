import { compactFormat, dateFormat, dollarFormat, numberFormat } from "./locale.ts";

/** Number, money and time formats. The platform sends money as decimal strings; it is rounded only here, for display. */

const counts = numberFormat();
const compactCounts = compactFormat({ maximumFractionDigits: 1 });

export function count(value: number): string {
  return counts.format(value);
}

/** 1 key, 12 keys. */
export function inCount(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** 12,345,678 as 12.3M, for narrow columns. */
export function compactCount(value: number): string {
  return value < 10_000 ? counts.format(value) : compactCounts(value);
}

/** Dollars to the cent, or to three significant digits below a cent, so that a small cost does not read as zero. */
export function money(dollars: string): string {
  const value = Number(dollars);
  const digits = value === 0 || Math.abs(value) >= 0.01 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(Math.abs(value))));
  return moneyWith(value, digits);
}

/** The cost of one request, to the millionth of a dollar, so that columns line up. */
export function requestMoney(dollars: string): string {
  const value = Number(dollars);
  return value > 0 && value < 0.000_000_5 ? `<${moneyWith(0.000_001, 6)}` : moneyWith(value, 6);
}

const everyDigit = dollarFormat(2, 9);

/** Dollars with every digit. Formats the string, because a float holds only about 16 digits. */
export function exactMoney(dollars: string): string {
  // Other text is in scientific notation, such as 1e-7.
  if (!/^-?\d+(?:\.\d+)?$/.test(dollars)) return money(dollars);
  return withMinus(everyDigit.format(dollars as `${number}`));
}

/**
 * "$4.11 of $5.00". Below a cap of one dollar, amounts are rounded to a hundredth of a cent: rounded to the cent, a nearly used cap could
 * look fully used.
 */
export function spentOf(spent: string, cap: string): string {
  return `${Number(cap) < 1 ? moneyWith(Number(spent), 4) : money(spent)} of ${exactMoney(cap)}`;
}

const dollarFormats = new Map<number, Intl.NumberFormat>();

function moneyWith(value: number, digits: number): string {
  let format = dollarFormats.get(digits);
  if (!format) dollarFormats.set(digits, (format = dollarFormat(digits)));
  return withMinus(format.format(value));
}

/** Replaces the hyphen with a minus sign, which is as wide as a digit. */
function withMinus(amount: string): string {
  return amount.replace("-", "−");
}

const tenths = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A number to one decimal. */
export function toTenths(value: number): string {
  return withMinus(tenths.format(value));
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (part / whole) * 100;
  if (share > 0 && share < 0.1) return `<${tenths.format(0.1)}%`;
  return `${share >= 10 || share === 0 ? counts.format(Math.round(share)) : tenths.format(share)}%`;
}

const hundredths = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A number to two decimals. */
export function toHundredths(value: number): string {
  return withMinus(hundredths.format(value));
}

/** A measured duration. */
export function duration(ms: number): string {
  // Each bound is the value from which rounding would reach the next unit.
  if (ms < 0.995) return `${hundredths.format(ms)} ms`;
  if (ms < 999.5) return `${ms < 9.95 ? tenths.format(ms) : counts.format(Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms < 9995 ? hundredths : tenths).format(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${tenths.format(value / 1000)} kB`;
  return `${tenths.format(value / 1_000_000)} MB`;
}

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
// "1 day ago", not "yesterday": 24 hours are not a calendar day.
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "always" });

/** Relative time: "3 minutes ago", "in 2 days". */
export function ago(time: string | number, nowMs = Date.now()): string {
  const seconds = (new Date(time).getTime() - nowMs) / 1000;
  if (Math.abs(seconds) < 60) return "just now";
  // The value is rounded first: 59.9 minutes are an hour, not 60 minutes.
  const [unit, size] = STEPS.find(([, unitSize], at) => Math.abs(seconds) >= unitSize - (STEPS[at + 1]?.[1] ?? 0) / 2)!;
  return relative.format(Math.round(seconds / size), unit);
}

const moments = dateFormat({ dateStyle: "medium", timeStyle: "medium" });

/** Date and time to the second, in the browser's time zone. */
export function moment(time: string | number): string {
  return moments.format(new Date(time));
}

/** 24 hours in every locale: "AM" and "PM" would not fit into dense lists, and logs use 24 hours too. */
const hours = dateFormat({ timeStyle: "medium", hourCycle: "h23" });
const daysOfYear = dateFormat({ day: "numeric", month: "short" });
const days = dateFormat({ dateStyle: "medium" });

/** The time of day, preceded by the date unless it is today: for dense lists. */
export function clock(time: string | number, nowMs = Date.now()): string {
  const [at, now] = [new Date(time), new Date(nowMs)];
  if (at.toDateString() === now.toDateString()) return hours.format(at);
  const date = at.getFullYear() === now.getFullYear() ? daysOfYear : days;
  return `${date.format(at)} ${hours.format(at)}`;
}

export function day(time: string | number): string {
  return days.format(new Date(time));
}

/** The endpoints that call models. */
export const ENDPOINTS = [
  { value: "chat_completions", label: "Chat completions" },
  { value: "messages", label: "Messages API" },
  { value: "responses", label: "Responses API" },
  { value: "embeddings", label: "Embeddings" },
] as const;

/** A newer gateway may have endpoints that this page does not know. */
export function endpointLabel(endpoint: string): string {
  return ENDPOINTS.find(({ value }) => value === endpoint)?.label ?? endpoint;
}
