import * as fc from "fast-check";
import { expect, test } from "bun:test";
import { bedrockDialect } from "../../src/upstreams/bedrock/bedrock-dialect.ts";
import { findChatViolation } from "../../src/requests/chat-request.ts";
import { sentText } from "../support/upstreams/upstream-call.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { ApiError } from "../../src/requests/api-error.ts";
import { runs } from "../support/long.ts";
import { oddBodies, sensibleBodies } from "./chat-arbitraries.ts";
import { callOf, CLAUDE, GPT_OSS, LLAMA, NEWER_CLAUDE, NOVA, NOVA_2 } from "./converse-call.ts";
import { problemOfConverse } from "./converse-rules.ts";

const settings = remoteAt("b", "bedrock-converse", { baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com", allowPrivate: false }, []);

/** The request that is sent for a body, or the gateway's rejection. */
function sent(body: Record<string, unknown>, upstreamModel: string): Record<string, unknown> | ApiError {
  try {
    const { body: written } = bedrockDialect.request(callOf(body, { upstreamModel }), settings);
    return JSON.parse(sentText({ body: written })) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The arbitraries use the reasoning format of Anthropic's dialect. This replaces it with the format of this dialect. */
function withReasoning(body: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(body)
    .replaceAll('"anthropic":{"thinking":', '"bedrock":{"reasoning":')
    .replaceAll(
      /\{"type":"thinking","thinking":("(?:[^"\\]|\\.)*"),"signature":("(?:[^"\\]|\\.)*")\}/g,
      '{"reasoningText":{"text":$1,"signature":$2}}',
    )
    .replaceAll(/\{"type":"redacted_thinking","data":("(?:[^"\\]|\\.)*")\}/g, '{"redactedContent":$1}');
  return JSON.parse(text) as Record<string, unknown>;
}

test("whatever the contract lets through becomes a request that the API takes, or a refusal that names the field", () => {
  const seen = { sent: 0, refused: 0, reasoning: 0 };
  fc.assert(
    fc.property(
      fc.oneof(sensibleBodies, oddBodies).map(withReasoning),
      fc.constantFrom(CLAUDE, NEWER_CLAUDE, "anthropic.claude-opus-5", NOVA, NOVA_2, GPT_OSS, LLAMA),
      (body, upstreamModel) => {
        fc.pre(findChatViolation(body) === undefined);
        const outcome = sent(body, upstreamModel);
        if (outcome instanceof ApiError) {
          seen.refused++;
          expect(["unsupported_parameter", "invalid_value"]).toContain(outcome.code);
          expect(outcome.param).toMatch(/^[a-z_]+/);
          expect(Object.keys(body)).toContain(/^[a-z_]+/.exec(outcome.param!)![0]);
        } else {
          seen.sent++;
          if (JSON.stringify(outcome).includes('"reasoningText"')) seen.reasoning++;
          expect(problemOfConverse(outcome, upstreamModel)).toBeUndefined();
        }
      },
    ),
    runs(1_000),
  );
  // Both cases must occur.
  expect(Math.min(seen.sent, seen.refused)).toBeGreaterThan(100);
  expect(seen.reasoning).toBeGreaterThan(0);
});

test("the same request is translated to the same bytes, so that the provider's cache finds it again", () => {
  fc.assert(
    fc.property(sensibleBodies, (body) => {
      const [once, twice] = [sent(body, CLAUDE), sent(structuredClone(body), CLAUDE)];
      if (!(once instanceof ApiError)) expect(JSON.stringify(once)).toBe(JSON.stringify(twice));
    }),
    runs(300),
  );
});
