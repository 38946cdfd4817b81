import { LIMIT_OPTIONS } from "../../limit-options.ts";
import { clearable, dollars, list, onOrOff, text } from "../../options.ts";

/** What an account is made with and can be changed to. */
export const ACCOUNT_OPTIONS = {
  name: text("name", "what it is called"),
  models: list(
    "models",
    "the models that its keys may call, as far as each key's own list goes: ids or prefixes such as 'gpt-*'; '*' for all",
  ),
  ...LIMIT_OPTIONS,
  "low-credit": clearable(dollars("low_credit", "raise an alert when its credit falls below this, in dollars; none: when it has no more")),
  "log-bodies": onOrOff("log_bodies", "whether the request log keeps what its callers and the models say"),
};
