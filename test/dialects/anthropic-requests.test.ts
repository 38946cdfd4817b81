import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { anthropicDialect } from "../../src/upstreams/anthropic/anthropic-dialect.ts";
import { findChatViolation } from "../../src/requests/chat-request.ts";
import { sentText } from "../support/upstreams/upstream-call.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { ApiError } from "../../src/requests/api-error.ts";
import { runs } from "../support/long.ts";
import { oddBodies, sensibleBodies } from "./chat-arbitraries.ts";
import { callOf, NEWER, OLDER } from "./messages-call.ts";
import { problemOfRequest } from "./messages-rules.ts";

const settings = remoteAt("a", "anthropic", { baseUrl: "https://api.anthropic.com/v1", allowPrivate: false }, []);

/** The request that goes out for a body, or our refusal. */
function sent(body: Record<string, unknown>, upstreamModel: string): Record<string, unknown> | ApiError {
  try {
    const { body: written } = anthropicDialect.request(callOf(body, { upstreamModel }), settings);
    return JSON.parse(sentText({ body: written })) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

test("whatever the contract lets through becomes a request that the API takes, or a refusal that names the field", () => {
  const seen = { sent: 0, refused: 0 };
  fc.assert(
    fc.property(fc.oneof(sensibleBodies, oddBodies), fc.constantFrom(OLDER, NEWER, "claude-opus-5"), (body, upstreamModel) => {
      fc.pre(findChatViolation(body) === undefined);
      const outcome = sent(body, upstreamModel);
      if (outcome instanceof ApiError) {
        seen.refused++;
        expect(["unsupported_parameter", "invalid_value"]).toContain(outcome.code);
        expect(outcome.param).toMatch(/^[a-z_]+/);
        expect(Object.keys(body)).toContain(/^[a-z_]+/.exec(outcome.param!)![0]);
      } else {
        seen.sent++;
        expect(problemOfRequest(outcome)).toBeUndefined();
      }
    }),
    runs(1_000),
  );
  // Neither side of the alternative is there for show.
  expect(Math.min(seen.sent, seen.refused)).toBeGreaterThan(100);
});

test("the same request is translated to the same bytes, so that the provider's cache finds it again", () => {
  fc.assert(
    fc.property(sensibleBodies, (body) => {
      const [once, twice] = [sent(body, OLDER), sent(structuredClone(body), OLDER)];
      if (!(once instanceof ApiError)) expect(JSON.stringify(once)).toBe(JSON.stringify(twice));
    }),
    runs(300),
  );
});
