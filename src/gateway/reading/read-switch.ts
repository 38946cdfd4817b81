import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import { ApiError } from "../../requests/api-error.ts";

/** Whether a request header is switched on: `1` or `true`. Off if the header is absent. */
export function readSwitch(headers: HeaderFields, name: string): boolean {
  const value = headers.get(name)?.trim().toLowerCase() ?? "0";
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new ApiError("invalid_value", `The header ${name} must be 1 or 0.`, { param: name });
}
