import type { Actor } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { ComparedResponse, MirrorResult } from "../../../requests/mirror-result.ts";
import type { Platform } from "../../platform.ts";

const count = { type: "integer", nullable: true } as const satisfies Schema;
const milliseconds = { type: "number", nullable: true } as const satisfies Schema;

const comparedSchema = {
  title: "ComparedResponse",
  type: "object",
  required: ["status", "finish_reason", "prompt_tokens", "completion_tokens", "first_byte_ms", "duration_ms"],
  properties: {
    status: { type: "integer", description: "The HTTP status that a caller receives for it." },
    finish_reason: { type: "string", nullable: true, description: "Null without one, as of a stream that broke off." },
    prompt_tokens: { ...count, description: "As counted by the upstream." },
    completion_tokens: count,
    first_byte_ms: { ...milliseconds, description: "Time to first byte of a stream, from the start of the call." },
    duration_ms: { type: "number", description: "From the start of the call to the end of the response." },
  },
} as const satisfies Schema;

export const mirrorResultSchema = {
  title: "MirrorResultOrNull",
  type: "object",
  nullable: true,
  description:
    "The response of the model's mirror, beside the caller's response from its last attempt; null where the request was not mirrored. Shown to operators.",
  required: ["upstream", "model", "response", "mirror", "detail"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream model." },
    response: comparedSchema,
    mirror: comparedSchema,
    detail: { type: "string", nullable: true, description: "What happened, where the mirror failed." },
  },
} as const satisfies Schema;

/** The results of these requests, for operators: members do not see upstreams. */
export async function mirrorsFor(
  { role }: Pick<Actor, "role">,
  requests: readonly { readonly requestId: string }[],
  { requestLog }: Pick<Platform, "requestLog">,
): Promise<ReadonlyMap<string, MirrorResult>> {
  return role === "operator" && requests.length > 0 ? requestLog.mirrorsOf(requests.map(({ requestId }) => requestId)) : NO_MIRRORS;
}

const NO_MIRRORS: ReadonlyMap<string, MirrorResult> = new Map();

export function viewMirror(result: MirrorResult | undefined) {
  if (!result) return null;
  const { upstream, upstreamModel, response, mirror, detail } = result;
  return { upstream, model: upstreamModel, response: viewCompared(response), mirror: viewCompared(mirror), detail };
}

function viewCompared({ status, finishReason, promptTokens, completionTokens, firstByteMs, durationMs }: ComparedResponse) {
  return {
    status,
    finish_reason: finishReason,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    first_byte_ms: firstByteMs,
    duration_ms: durationMs,
  };
}
