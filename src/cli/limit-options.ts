import { clearable, count, dollars, json } from "./options.ts";

/** Rate limits and spend caps, of accounts and keys. `none` clears one. */
export const LIMIT_OPTIONS = {
  "requests-per-minute": clearable(count("limits.requests_per_minute", "rate limit: requests per minute, or none")),
  "tokens-per-minute": clearable(count("limits.tokens_per_minute", "rate limit: tokens per minute, or none")),
  concurrent: clearable(count("limits.concurrent_requests", "maximum concurrent requests, or none")),
  "daily-cap": clearable(dollars("caps.day", "spend cap per calendar day (UTC), in dollars, or none")),
  "monthly-cap": clearable(dollars("caps.month", "spend cap per calendar month (UTC), in dollars, or none")),
  "total-cap": clearable(dollars("caps.total", "total spend cap, in dollars, or none")),
  "user-requests-per-minute": clearable(
    count("limits.per_user.requests_per_minute", "rate limit of each end user: requests per minute, or none"),
  ),
  "user-tokens-per-minute": clearable(
    count("limits.per_user.tokens_per_minute", "rate limit of each end user: tokens per minute, or none"),
  ),
  "user-concurrent": clearable(count("limits.per_user.concurrent_requests", "maximum concurrent requests of each end user, or none")),
  "user-daily-cap": clearable(dollars("caps.per_user.day", "spend cap of each end user per calendar day (UTC), in dollars, or none")),
  "user-monthly-cap": clearable(dollars("caps.per_user.month", "spend cap of each end user per calendar month (UTC), in dollars, or none")),
  "tag-limits": clearable(
    json("limits.per_tag", `rate limits of each value of a tag, such as '{"team":{"requests_per_minute":60}}', or none`),
  ),
  "tag-caps": clearable(json("caps.per_tag", `spend caps of each value of a tag, such as '{"team":{"day":"5"}}', or none`)),
};
