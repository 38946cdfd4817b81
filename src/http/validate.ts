import { GatewayError, type ErrorCode } from "../vocabulary/gateway-error.ts";
import { formatPath, type Violation } from "../vocabulary/schema.ts";

const CODES = {
  missing: "missing_required_parameter",
  unknown: "unsupported_parameter",
  invalid: "invalid_value",
} as const satisfies Record<Violation["problem"], ErrorCode>;

/** Throws the refusal for a violation, naming the field the way the caller would write it. */
export function refuseViolation(violation: Violation | undefined): void {
  if (!violation) return;
  const param = formatPath(violation.path);
  throw new GatewayError(CODES[violation.problem], `${param || "The request body"} ${violation.message}.`, { param: param || undefined });
}
