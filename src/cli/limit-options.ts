import { clearable, count, dollars } from "./options.ts";

/** What accounts and keys can both be given. The word `none` clears one. */
export const LIMIT_OPTIONS = {
  "requests-per-minute": clearable(count("limits.requests_per_minute", "how many requests it may make in a minute, or none for no limit")),
  "tokens-per-minute": clearable(count("limits.tokens_per_minute", "how many tokens it may use in a minute, or none")),
  concurrent: clearable(count("limits.concurrent_requests", "how many requests it may have under way at once, or none")),
  "daily-cap": clearable(dollars("caps.day", "the most it may spend in a day (UTC), in dollars, or none")),
  "monthly-cap": clearable(dollars("caps.month", "the most it may spend in a calendar month (UTC), or none")),
  "total-cap": clearable(dollars("caps.total", "the most it may spend ever, or none")),
};
