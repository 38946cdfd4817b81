import { topLevelFields, withFields, withNames } from "../lib/json/json-text.ts";
import { ANYTHING, findViolation, formatPath, type Schema } from "../lib/schema/schema.ts";
import { toByteText, type ByteText } from "../lib/text/byte-text.ts";
import { unparsableResponse } from "./refusal.ts";
import type { RelayedRequest } from "./upstream.ts";

/**
 * The client's body with some of its fields edited, and without those that the operator drops. `own`: fields of the gateway, which are
 * written whether or not they are dropped. All other bytes are unchanged.
 */
export function relayedBody(
  relayed: RelayedRequest,
  own: Readonly<Record<string, unknown>>,
  edited: Readonly<Record<string, unknown>>,
  dropped: readonly string[],
): ByteText[] {
  const { byteText, fields } = dropped.length === 0 ? relayed : without(dropped, relayed);
  const kept = Object.entries(edited).filter(([name]) => !dropped.includes(name));
  const written = [...kept, ...Object.entries(own)].map(([name, value]) => [name, toByteText(JSON.stringify(value))] as const);
  return withFields(byteText, fields, Object.fromEntries(written));
}

function without(names: readonly string[], { byteText, fields }: RelayedRequest): Pick<RelayedRequest, "byteText" | "fields"> {
  const rest = withNames(byteText, fields, Object.fromEntries(names.map((name) => [name, undefined])));
  return { byteText: rest, fields: topLevelFields(rest) };
}

/**
 * Throws unless the known fields of a JSON reply have their types. Some servers omit fields, and the gateway counts what is not in
 * `usage`.
 */
export function requireTypes(reply: Readonly<Record<string, unknown>>, schema: Schema): void {
  const violation = findViolation({ ...schema, required: ["id"], properties: { ...schema.properties, usage: ANYTHING } }, reply);
  if (violation) throw unparsableResponse(`${formatPath(violation.path)} ${violation.message}`);
}

/** The type of an event that is forwarded. It also names the frame, so it must not contain line ends. */
export function typeOfEvent({ type }: Readonly<Record<string, unknown>>): string {
  if (typeof type !== "string" || !/^[\w.-]{1,100}$/.test(type)) throw unparsableResponse("an event without a type");
  return type;
}
