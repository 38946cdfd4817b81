import * as fc from "fast-check";
import { expect, test } from "bun:test";
import { anthropicDialect } from "../../src/upstreams/anthropic/anthropic-dialect.ts";
import { findChatViolation } from "../../src/requests/chat-request.ts";
import { sentText } from "../support/upstreams/upstream-call.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { ApiError } from "../../src/requests/api-error.ts";
import { runs } from "../support/long.ts";
import { oddBodies, sensibleBodies } from "./chat-arbitraries.ts";
import { callOf, NEWER, OLDER } from "./messages-call.ts";
import { problemOfRequest, problemOfVertexRequest } from "./messages-rules.ts";

/** The places that serve the API, each with its rules. */
const PLACES = { anthropic: problemOfRequest, "vertex-claude": problemOfVertexRequest } as const;

const bodies = fc
  .tuple(fc.oneof(sensibleBodies, oddBodies), fc.constantFrom({}, {}, { cache_control: { type: "ephemeral" } }))
  .map(([body, cached]) => ({ ...body, ...cached }));

/** The request that is sent for a body, or the gateway's rejection. */
function sent(body: Record<string, unknown>, upstreamModel: string, place: keyof typeof PLACES): Record<string, unknown> | ApiError {
  const settings = remoteAt("a", place, { baseUrl: "https://api.example/v1", allowPrivate: false }, []);
  try {
    const { body: written } = anthropicDialect.request(callOf(body, { upstreamModel }), settings);
    return JSON.parse(sentText({ body: written })) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const places = Object.keys(PLACES) as (keyof typeof PLACES)[];

test.each(places)("whatever the contract lets through becomes a request that %s takes, or a refusal that names the field", (place) => {
  const seen = { sent: 0, refused: 0 };
  fc.assert(
    fc.property(bodies, fc.constantFrom(OLDER, NEWER, "claude-opus-5"), (body, upstreamModel) => {
      fc.pre(findChatViolation(body) === undefined);
      const outcome = sent(body, upstreamModel, place);
      if (outcome instanceof ApiError) {
        seen.refused++;
        expect(["unsupported_parameter", "invalid_value"]).toContain(outcome.code);
        expect(outcome.param).toMatch(/^[a-z_]+/);
        expect(Object.keys(body)).toContain(/^[a-z_]+/.exec(outcome.param!)![0]);
      } else {
        seen.sent++;
        expect(PLACES[place](outcome)).toBeUndefined();
      }
    }),
    runs(1_000),
  );
  // Both cases must occur.
  expect(Math.min(seen.sent, seen.refused)).toBeGreaterThan(100);
});

test("the same request is translated to the same bytes, so that the provider's cache finds it again", () => {
  fc.assert(
    fc.property(sensibleBodies, (body) => {
      const [once, twice] = [sent(body, OLDER, "anthropic"), sent(structuredClone(body), OLDER, "anthropic")];
      if (!(once instanceof ApiError)) expect(JSON.stringify(once)).toBe(JSON.stringify(twice));
    }),
    runs(300),
  );
});
