import { DEFAULT_TIMEOUTS } from "../../../models/timeouts.ts";
import type { ModelKind } from "../../../models/catalog.ts";
import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import type { Fields } from "./yaml/fields.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

export type Timeouts = NonNullable<DeclaredUpstream["timeouts"]>;

/** LiteLLM's timeouts of all deployments, in milliseconds. */
export interface ReadTimeouts {
  /** Between two reads of a response. For a response that is not streamed, this is the time for the whole response. */
  readonly read: number | undefined;
  /** Between two reads of a stream. It takes precedence over the `timeout` of a deployment. */
  readonly stream: number | undefined;
}

const MAX_SECONDS = 86_400;

const NOT_STREAMED =
  "converted to non_streamed_ms, which is for the whole response: LiteLLM counts from read to read, as first_byte_ms and between_chunks_ms do for streams";

/** `settings` are the timeouts of the whole file. */
export function convertTimeouts(params: Fields, settings: ReadTimeouts, unsupported: Unsupported[]): Timeouts {
  const read = readOwnTimeout(params, unsupported) ?? settings.read;
  const stream = readTimeout(params.take("stream_timeout"), [], unsupported) ?? settings.stream ?? read;
  const longest = Math.max(read ?? 0, stream ?? 0);
  return {
    ...(stream !== undefined && { first_byte_ms: stream, between_chunks_ms: stream }),
    ...(read !== undefined && { non_streamed_ms: read }),
    ...(longest > DEFAULT_TIMEOUTS.totalMs && { total_ms: longest }),
  };
}

/** LiteLLM also reads a deployment's `request_timeout`. */
function readOwnTimeout(params: Fields, unsupported: Unsupported[]): number | undefined {
  const [own, request] = [readTimeout(params.take("timeout"), unsupported), params.take("request_timeout")];
  if (own === undefined) return readTimeout(request, unsupported);
  if (request) unsupported.push(asUnsupported(request, "not converted: timeout goes before it"));
  return own;
}

/** The defaults of `router_settings` and `litellm_settings`. */
export function readTimeouts(router: Fields, library: Fields, unsupported: Unsupported[]): ReadTimeouts {
  const [request, ofRouter] = [readTimeout(library.take("request_timeout"), unsupported), router.take("timeout")];
  const stream = readTimeout(router.take("stream_timeout"), [], unsupported);
  if (request === undefined || !ofRouter) return { read: request ?? readTimeout(ofRouter, unsupported), stream };
  unsupported.push(asUnsupported(ofRouter, "not converted: litellm_settings.request_timeout goes before it"));
  // If the router has a timeout too, the request timeout also applies to streams, and takes precedence over a deployment's `timeout`.
  return { read: request, stream: stream ?? request };
}

/** A valid timeout is noted in `remarks`, an invalid one in `problems`. */
function readTimeout(node: YamlNode | undefined, remarks: Unsupported[], problems = remarks): number | undefined {
  if (!node) return undefined;
  const milliseconds = Math.round((node.number ?? 0) * 1000);
  if (milliseconds >= 1 && milliseconds <= MAX_SECONDS * 1000) {
    remarks.push(asUnsupported(node, NOT_STREAMED));
    return milliseconds;
  }
  problems.push(asUnsupported(node, `a timeout must be a number of seconds, at most ${MAX_SECONDS}`));
  return undefined;
}

/**
 * The context window and the output limit. LiteLLM only shows `max_tokens`, which can mean either of them, so it stays in the list of
 * unsupported settings.
 */
export function convertTokenLimits(
  info: Fields,
  kind: ModelKind,
  unsupported: Unsupported[],
): { context_window?: number; max_output_tokens?: number } {
  const window = toCount(info.take("max_input_tokens"), unsupported);
  // Vectors have no tokens.
  const answer = kind === "chat" ? toCount(info.take("max_output_tokens"), unsupported) : undefined;
  return { ...(window !== undefined && { context_window: window }), ...(answer !== undefined && { max_output_tokens: answer }) };
}

function toCount(node: YamlNode | undefined, unsupported: Unsupported[]): number | undefined {
  if (!node) return undefined;
  if (Number.isSafeInteger(node.number) && node.number! >= 1) return node.number;
  unsupported.push(asUnsupported(node, "it must be a whole number of tokens"));
  return undefined;
}
