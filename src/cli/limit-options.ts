import { PERIOD_CAPS, RATE_LIMITS, SPEND_CAPS } from "../money/limits.ts";
import type { Option } from "./command.ts";
import { clearable, count, dollars, json } from "./options.ts";

/** Rate limits and spend caps, of accounts and keys. `none` clears one. */
export const LIMIT_OPTIONS: Readonly<Record<string, Option>> = {
  ...optionsOf("", "", "", SPEND_CAPS),
  ...optionsOf("user-", "per_user.", " of each end user", PERIOD_CAPS),
  "tag-limits": clearable(
    json("limits.per_tag", `rate limits of each value of a tag, such as '{"team":{"requests_per_minute":60}}', or none`),
  ),
  "tag-caps": clearable(json("caps.per_tag", `spend caps of each value of a tag, such as '{"team":{"day":"5"}}', or none`)),
};

function optionsOf(prefix: string, path: string, whose: string, caps: readonly (typeof SPEND_CAPS)[number][]): Record<string, Option> {
  const ofLimits = RATE_LIMITS.map((limit) => {
    const meaning = "windowMs" in limit ? `rate limit${whose}: ${limit.many}` : `maximum ${limit.many}${whose}`;
    return [`${prefix}${limit.option}`, clearable(count(`limits.${path}${limit.name}`, `${meaning}, or none`))] as const;
  });
  const ofCaps = caps.map(({ name, per, option }) => {
    const meaning = name === "total" ? "total spend cap" : `spend cap${whose} ${per}`;
    return [`${prefix}${option}`, clearable(dollars(`caps.${path}${name}`, `${meaning}, in dollars, or none`))] as const;
  });
  return Object.fromEntries([...ofLimits, ...ofCaps]);
}
