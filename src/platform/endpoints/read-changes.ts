import { readJson } from "../../http/read-json.ts";
import { GatewayError, refuseViolation } from "../../vocabulary/gateway-error.ts";
import { findViolation, type Schema } from "../../vocabulary/schema.ts";

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads the body of a PATCH. A field that is null as a whole is refused: to lift every limit because a program wrote null for
 * "not given" would cost somebody money.
 */
export async function readChanges<T>(request: Request, properties: Schema["properties"] & object): Promise<T> {
  const { value } = await readJson(request, MAX_BODY_BYTES);
  const empty = Object.keys(properties).find((name) => Object.hasOwn(value, name) && value[name] === null);
  if (empty !== undefined) throw new GatewayError("invalid_value", `${empty} must not be null. Leave it out to keep it.`, { param: empty });
  refuseViolation(findViolation({ type: "object", additionalProperties: false, properties }, value));
  return value as T;
}
