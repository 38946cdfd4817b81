import { topLevelFields, withFields, withNames } from "../lib/json/json-text.ts";
import { toByteText, type ByteText } from "../lib/text/byte-text.ts";
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
