import { ApiError } from "../requests/api-error.ts";
import { formatPath, type Path } from "../lib/schema/schema.ts";

/** Rejects a parameter that an upstream's format cannot express. The message completes the sentence that starts with the path. */
export function unsupportedParameter(path: Path, message: string): ApiError {
  const param = formatPath(path);
  return new ApiError("unsupported_parameter", `${param} ${message}.`, { param });
}

/** Rejects a malformed value. */
export function wrongValue(path: Path, message: string): ApiError {
  const param = formatPath(path);
  return new ApiError("invalid_value", `${param} ${message}.`, { param });
}
