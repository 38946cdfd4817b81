import { DEFAULT_TIMEOUTS } from "../../../models/upstream-settings.ts";
import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import type { Fields } from "./yaml/fields.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

export type Timeouts = NonNullable<DeclaredUpstream["timeouts"]>;

/** LiteLLM's timeouts of a deployment, or the defaults of all, in milliseconds. */
export interface ReadTimeouts {
  /** `timeout`: between two reads of a response, and so for the whole of one that is not streamed. */
  readonly read?: number | undefined;
  /** `stream_timeout`: between two reads of a stream. */
  readonly stream?: number | undefined;
  /** `litellm_settings.request_timeout`, which goes before the `timeout` of the router. */
  readonly request?: number | undefined;
}

const LONGEST_SECONDS = 86_400;

const NOT_STREAMED =
  "converted to first_byte_ms and between_chunks_ms of streams, as LiteLLM counts it: a total_ms would end healthy ones. For responses that are not streamed, set total_ms, 900 s by default";

/** `settings` are those of the whole file. */
export function convertTimeouts(params: Fields, settings: ReadTimeouts, unsupported: Unsupported[]): Timeouts {
  const read = readTimeout(params.take("timeout"), unsupported) ?? settings.request ?? settings.read;
  const stream = readTimeout(params.take("stream_timeout"), [], unsupported) ?? settings.stream ?? settings.request ?? read;
  const longest = Math.max(read ?? 0, stream ?? 0);
  return {
    ...(stream !== undefined && { first_byte_ms: stream, between_chunks_ms: stream }),
    ...(longest > DEFAULT_TIMEOUTS.totalMs && { total_ms: longest }),
  };
}

/** The defaults of `router_settings` and `litellm_settings`. */
export function readTimeouts(router: Fields, library: Fields, unsupported: Unsupported[]): ReadTimeouts {
  const [request, ofRouter] = [readTimeout(library.take("request_timeout"), unsupported), router.take("timeout")];
  if (request !== undefined && ofRouter)
    unsupported.push(asUnsupported(ofRouter, "not converted: litellm_settings.request_timeout goes before it"));
  return {
    read: request === undefined ? readTimeout(ofRouter, unsupported) : undefined,
    stream: readTimeout(router.take("stream_timeout"), [], unsupported),
    request,
  };
}

/** `remarks` are about a valid one, `problems` about another. */
function readTimeout(node: YamlNode | undefined, remarks: Unsupported[], problems = remarks): number | undefined {
  if (!node) return undefined;
  const milliseconds = Math.round((node.number ?? 0) * 1000);
  if (milliseconds >= 1 && milliseconds <= LONGEST_SECONDS * 1000) {
    remarks.push(asUnsupported(node, NOT_STREAMED));
    return milliseconds;
  }
  problems.push(asUnsupported(node, `a timeout must be a number of seconds, at most ${LONGEST_SECONDS}`));
  return undefined;
}

/** The context window and the output limit. `max_tokens` is shown by LiteLLM, and is either of them: it stays in the list. */
export function convertTokenLimits(info: Fields, unsupported: Unsupported[]): { context_window?: number; max_output_tokens?: number } {
  const window = toCount(info.take("max_input_tokens"), unsupported);
  const answer = toCount(info.take("max_output_tokens"), unsupported);
  return { ...(window !== undefined && { context_window: window }), ...(answer !== undefined && { max_output_tokens: answer }) };
}

function toCount(node: YamlNode | undefined, unsupported: Unsupported[]): number | undefined {
  if (!node) return undefined;
  if (Number.isSafeInteger(node.number) && node.number! >= 1) return node.number;
  unsupported.push(asUnsupported(node, "it must be a whole number of tokens"));
  return undefined;
}
