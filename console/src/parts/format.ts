/** Number, money and time formats. The platform sends money as decimal strings; it is rounded here only, for display. */

const counts = new Intl.NumberFormat("en-US");
const compactCounts = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export function count(value: number): string {
  return counts.format(value);
}

/** 1 key, 12 keys. */
export function inCount(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** 12,345,678 as 12.3M, for narrow columns. */
export function compactCount(value: number): string {
  return value < 10_000 ? counts.format(value) : compactCounts.format(value);
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
  return value > 0 && value < 0.000_000_5 ? "<$0.000001" : moneyWith(value, 6);
}

/** Dollars with every digit. Formats the string, because a float holds only about 16 digits. */
export function exactMoney(dollars: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d*?)0*)?$/.exec(dollars);
  // Scientific notation, such as 1e-7.
  if (!parts) return money(dollars);
  const [, sign, whole, digits = ""] = parts;
  return `${sign ? "−" : ""}$${counts.format(BigInt(whole!))}.${digits.padEnd(2, "0")}`;
}

function moneyWith(value: number, digits: number): string {
  const text = Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${value < 0 ? "−" : ""}$${text}`;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (part / whole) * 100;
  return `${share > 0 && share < 0.1 ? "<0.1" : share.toFixed(share >= 10 || share === 0 ? 0 : 1)}%`;
}

/** A measured duration. */
export function duration(ms: number): string {
  // Each bound is the value from which rounding would reach the next unit.
  if (ms < 0.995) return `${ms.toFixed(2)} ms`;
  if (ms < 999.5) return `${ms.toFixed(ms < 9.95 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });

/** Relative time: "3 minutes ago", "in 2 days". */
export function ago(time: string | number, nowMs = Date.now()): string {
  const seconds = (new Date(time).getTime() - nowMs) / 1000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : "just now";
}

/** Date and time to the second, in the browser's time zone. */
export function moment(time: string | number): string {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** The time of day, with the date where it is not today: for dense lists. */
export function clock(time: string | number, nowMs = Date.now()): string {
  const [at, now] = [new Date(time), new Date(nowMs)];
  const hours = at.toLocaleTimeString("en-GB", { timeStyle: "medium" });
  if (at.toDateString() === now.toDateString()) return hours;
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year })} ${hours}`;
}

export function day(time: string | number): string {
  return new Date(time).toLocaleDateString("en-GB", { dateStyle: "medium" });
}
