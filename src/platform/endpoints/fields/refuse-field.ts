import { GatewayError } from "../../../requests/gateway-error.ts";
import { formatPath, type Path } from "../../../lib/schema/schema.ts";

/** Refuses a field of the request, where the schema could not tell. The message continues its name into a sentence. */
export function refuseField(path: Path, message: string): never {
  const param = formatPath(path);
  throw new GatewayError("invalid_value", `${param} ${message}.`, { param });
}
