import { LIMIT_OPTIONS } from "../../limit-options.ts";
import { clearable, list, moment, text } from "../../options.ts";

/** What a key is made with and can be changed to. */
export const KEY_OPTIONS = {
  name: text("name", "what it is for"),
  models: list("models", "the models it may call: ids or prefixes such as 'gpt-*', with commas between them; '*' for all"),
  expires: clearable(moment("expires_at", "when it stops working: 12h, 30d, or a date such as 2027-01-31; none for never")),
  ...LIMIT_OPTIONS,
};
