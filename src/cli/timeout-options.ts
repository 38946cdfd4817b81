import { TIMEOUTS } from "../models/timeouts.ts";
import type { Option } from "./command.ts";
import { clearable, count } from "./options.ts";

/** The timeouts of an upstream. `none` clears the timeout that has no default value. */
export const UPSTREAM_TIMEOUTS = timeoutOptions((meaning, hasDefault) =>
  hasDefault ? undefined : `${meaning}, or none (default: the total timeout)`,
);

/** The timeouts of a model. `none` clears one. */
export const MODEL_TIMEOUTS = timeoutOptions((meaning) => `${meaning}, or none for the upstream's`);

/** `clearing`: the meaning of an option that `none` clears. */
function timeoutOptions(clearing: (meaning: string, hasDefault: boolean) => string | undefined): Readonly<Record<string, Option>> {
  const options = TIMEOUTS.map(({ field, meaning, defaultMs }) => {
    const path = `timeouts.${field}`;
    const clear = clearing(meaning, defaultMs !== undefined);
    return [field.replaceAll("_", "-"), clear === undefined ? count(path, meaning) : clearable(count(path, clear))];
  });
  return Object.fromEntries(options);
}
