import { ANYTHING, findViolation, formatPath, type Schema } from "../lib/schema/schema.ts";
import { toByteText, type ByteText } from "../lib/text/byte-text.ts";
import { rewriteText } from "../requests/chat-request.ts";
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
  const written: Record<string, ByteText> = {};
  for (const name in edited) if (!dropped.includes(name)) written[name] = toByteText(JSON.stringify(edited[name]));
  for (const name in own) written[name] = toByteText(JSON.stringify(own[name]));
  const names = dropped.length === 0 ? undefined : Object.fromEntries(dropped.map((name) => [name, undefined]));
  return rewriteText(relayed, written, names);
}

/** The types of the known fields of a JSON reply. Some servers omit fields, and the gateway counts what is not in `usage`. */
export function typesIn(schema: Schema): Schema {
  return { ...schema, required: ["id"], properties: { ...schema.properties, usage: ANYTHING } };
}

/** Throws unless the fields of a reply have these types. */
export function requireTypes(reply: Readonly<Record<string, unknown>>, types: Schema): void {
  const violation = findViolation(types, reply);
  if (violation) throw unparsableResponse(`${formatPath(violation.path)} ${violation.message}`);
}

/** The type of an event that is forwarded. It also names the frame, so it must not contain line ends. */
export function typeOfEvent({ type }: Readonly<Record<string, unknown>>): string {
  if (typeof type !== "string" || !/^[\w.-]{1,100}$/.test(type)) throw unparsableResponse("an event without a type");
  return type;
}
