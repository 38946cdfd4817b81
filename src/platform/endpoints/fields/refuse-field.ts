import { ApiError } from "../../../requests/api-error.ts";
import { formatPath, type Path } from "../../../lib/schema/schema.ts";

/** Rejects a field that the schema alone cannot check. The message completes a sentence that starts with the field's name. */
export function refuseField(path: Path, message: string): never {
  const param = formatPath(path);
  throw new ApiError("invalid_value", `${param} ${message}.`, { param });
}
