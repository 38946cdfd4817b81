import { GatewayError } from "../requests/gateway-error.ts";
import { formatPath, type Path } from "../lib/schema/schema.ts";

/** A refusal of what an upstream's format has no words for. The message continues the path into a sentence. */
export function unsupportedParameter(path: Path, message: string): GatewayError {
  const param = formatPath(path);
  return new GatewayError("unsupported_parameter", `${param} ${message}.`, { param });
}

/** A refusal of what could be said, and is not well formed. */
export function wrongValue(path: Path, message: string): GatewayError {
  const param = formatPath(path);
  return new GatewayError("invalid_value", `${param} ${message}.`, { param });
}
