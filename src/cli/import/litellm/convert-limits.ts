import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import type { Fields } from "./yaml/fields.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

export type Timeouts = NonNullable<DeclaredUpstream["timeouts"]>;

const LONGEST_SECONDS = 86_400;

/** In seconds: `timeout` is for the whole call, `stream_timeout` for the first chunk of a stream. */
export function convertTimeouts(
  total: YamlNode | undefined,
  firstByte: YamlNode | undefined,
  defaults: Timeouts,
  unsupported: Unsupported[],
): Timeouts {
  const first_byte_ms = toMilliseconds(firstByte, unsupported) ?? defaults.first_byte_ms;
  const total_ms = toMilliseconds(total, unsupported) ?? defaults.total_ms;
  return { ...(first_byte_ms !== undefined && { first_byte_ms }), ...(total_ms !== undefined && { total_ms }) };
}

function toMilliseconds(node: YamlNode | undefined, unsupported: Unsupported[]): number | undefined {
  if (!node) return undefined;
  const milliseconds = Math.round((node.number ?? 0) * 1000);
  if (milliseconds >= 1 && milliseconds <= LONGEST_SECONDS * 1000) return milliseconds;
  unsupported.push(asUnsupported(node, `a timeout must be a number of seconds, at most ${LONGEST_SECONDS}`));
  return undefined;
}

/** The context window and the output limit. LiteLLM falls back to `max_tokens` if `max_output_tokens` is not set. */
export function convertTokenLimits(info: Fields, unsupported: Unsupported[]): { context_window?: number; max_output_tokens?: number } {
  const [output, old] = [info.take("max_output_tokens"), info.take("max_tokens")];
  const window = toCount(info.take("max_input_tokens"), unsupported);
  const answer = toCount(output ?? old, unsupported);
  return { ...(window !== undefined && { context_window: window }), ...(answer !== undefined && { max_output_tokens: answer }) };
}

function toCount(node: YamlNode | undefined, unsupported: Unsupported[]): number | undefined {
  if (!node) return undefined;
  if (Number.isSafeInteger(node.number) && node.number! >= 1) return node.number;
  unsupported.push(asUnsupported(node, "it must be a whole number of tokens"));
  return undefined;
}
