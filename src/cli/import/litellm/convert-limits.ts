import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import type { Fields } from "./fields.ts";
import { notCarried, type NotCarried } from "./unsupported.ts";
import type { Placed } from "./yaml-node.ts";

export type Timeouts = NonNullable<DeclaredUpstream["timeouts"]>;

const LONGEST_SECONDS = 86_400;

/** In seconds: `timeout` is for the whole call, `stream_timeout` for the first piece of a stream. */
export function convertTimeouts(
  total: Placed | undefined,
  firstByte: Placed | undefined,
  defaults: Timeouts,
  lost: NotCarried[],
): Timeouts {
  const first_byte_ms = toMilliseconds(firstByte, lost) ?? defaults.first_byte_ms;
  const total_ms = toMilliseconds(total, lost) ?? defaults.total_ms;
  return { ...(first_byte_ms !== undefined && { first_byte_ms }), ...(total_ms !== undefined && { total_ms }) };
}

function toMilliseconds(node: Placed | undefined, lost: NotCarried[]): number | undefined {
  if (!node) return undefined;
  const milliseconds = Math.round((node.number ?? 0) * 1000);
  if (milliseconds >= 1 && milliseconds <= LONGEST_SECONDS * 1000) return milliseconds;
  lost.push(notCarried(node, `a timeout must be a number of seconds, at most ${LONGEST_SECONDS}`));
  return undefined;
}

/** How long prompts and answers may be. LiteLLM takes `max_tokens` for the answer's where that has no field of its own. */
export function convertTokenLimits(info: Fields, lost: NotCarried[]): { context_window?: number; max_output_tokens?: number } {
  const [output, old] = [info.take("max_output_tokens"), info.take("max_tokens")];
  const window = toCount(info.take("max_input_tokens"), lost);
  const answer = toCount(output ?? old, lost);
  return { ...(window !== undefined && { context_window: window }), ...(answer !== undefined && { max_output_tokens: answer }) };
}

function toCount(node: Placed | undefined, lost: NotCarried[]): number | undefined {
  if (!node) return undefined;
  if (Number.isSafeInteger(node.number) && node.number! >= 1) return node.number;
  lost.push(notCarried(node, "it must be a whole number of tokens"));
  return undefined;
}
