import { clearable, count, dollars } from "./options.ts";

/** Rate limits and spend caps, of accounts and keys. `none` clears one. */
export const LIMIT_OPTIONS = {
  "requests-per-minute": clearable(count("limits.requests_per_minute", "rate limit: requests per minute, or none")),
  "tokens-per-minute": clearable(count("limits.tokens_per_minute", "rate limit: tokens per minute, or none")),
  concurrent: clearable(count("limits.concurrent_requests", "maximum concurrent requests, or none")),
  "daily-cap": clearable(dollars("caps.day", "spend cap per calendar day (UTC), in dollars, or none")),
  "monthly-cap": clearable(dollars("caps.month", "spend cap per calendar month (UTC), in dollars, or none")),
  "total-cap": clearable(dollars("caps.total", "total spend cap, in dollars, or none")),
};
