import { LIMIT_OPTIONS } from "../../limit-options.ts";
import { list, text } from "../../options.ts";

/** What a key is made with and can be changed to. */
export const KEY_OPTIONS = {
  name: text("name", "what it is for"),
  models: list("models", "the models it may call: ids or prefixes such as 'gpt-*', with commas between them; '*' for all"),
  ...LIMIT_OPTIONS,
};
