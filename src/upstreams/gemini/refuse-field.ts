import { GatewayError } from "../../vocabulary/gateway-error.ts";

/** Our refusal of what this dialect has no words for. */
export function unsupported(param: string, words: string): GatewayError {
  return new GatewayError("unsupported_parameter", `${param} ${words}.`, { param });
}

/** Our refusal of what has no meaning here, or in any format. */
export function invalid(param: string, words: string): GatewayError {
  return new GatewayError("invalid_value", `${param} ${words}.`, { param });
}
