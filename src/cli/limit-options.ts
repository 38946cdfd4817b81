import { UsageError, type Invocation } from "./command.ts";

/** The options that set limits and caps, and what the platform API calls each. */
const LIMITS = {
  "requests-per-minute": "requests_per_minute",
  "tokens-per-minute": "tokens_per_minute",
  concurrent: "concurrent_requests",
} as const;

const CAPS = { "daily-cap": "day", "monthly-cap": "month", "total-cap": "total" } as const;

export const LIMIT_OPTIONS = {
  "requests-per-minute": "how many requests it may make in a minute, or none for no limit",
  "tokens-per-minute": "how many tokens it may use in a minute, or none",
  concurrent: "how many requests it may have under way at once, or none",
  "daily-cap": "the most it may spend in a day (UTC), in dollars, or none",
  "monthly-cap": "the most it may spend in a calendar month (UTC), or none",
  "total-cap": "the most it may spend ever, or none",
} as const satisfies Record<keyof typeof LIMITS | keyof typeof CAPS, string>;

/** The limits and caps that were given, as the platform API takes them. Null is "no limit"; what was not given is not there. */
export function readLimitOptions(options: Invocation["options"]): { limits?: object; caps?: object } {
  const limits = pick(LIMITS, options, readCount);
  const caps = pick(CAPS, options, (text) => text);
  return { ...(Object.keys(limits).length > 0 && { limits }), ...(Object.keys(caps).length > 0 && { caps }) };
}

function pick<T>(
  names: Readonly<Record<string, string>>,
  options: Invocation["options"],
  read: (text: string, option: string) => T,
): Record<string, T | null> {
  const given: Record<string, T | null> = {};
  for (const [option, field] of Object.entries(names)) {
    const text = options[option];
    if (text !== undefined) given[field] = text === "none" ? null : read(text, option);
  }
  return given;
}

function readCount(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${option} must be a whole number, or none`);
  return Number(text);
}
