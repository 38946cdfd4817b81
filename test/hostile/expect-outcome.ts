import { expect } from "bun:test";
import { chunkSchema } from "../../src/requests/chat-completion.ts";
import { findViolation } from "../../src/lib/schema/schema.ts";
import { expectBrokenStream, expectGoodCompletion, framesOf, textOf, type Chunk } from "../support/upstreams/conformance.ts";
import type { LedgerRow } from "../money/ledger-of.ts";
import type { Outcome } from "./hostile-case.ts";

/** The reply that a client received. */
export interface HostileReply {
  readonly model: string;
  readonly stream: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Every header that the gateway sends to clients. */
const OWN_HEADERS =
  /^(content-type|content-length|transfer-encoding|connection|keep-alive|date|cache-control|x-accel-buffering|x-request-id|x-should-retry|retry-after|x-tollgate-[a-z-]+)$/;

/** Error codes that a hostile upstream can cause, with their statuses. `internal_error` must not occur. */
const CLOSED_LIST: Record<string, number> = {
  invalid_value: 400,
  unsupported_parameter: 400,
  context_length_exceeded: 400,
  content_policy_violation: 400,
  request_too_large: 413,
  rate_limit_exceeded: 429,
  upstream_error: 502,
  overloaded: 503,
  no_upstream_available: 503,
  upstream_timeout: 504,
};

/** How much of a response the client received. The charge follows from it. */
export type Completeness = "nothing" | "part" | "all";

/** Checks a reply against the rules for all replies, and against the outcome of its case. */
export function expectOutcome(reply: HostileReply, outcome: Outcome): Completeness {
  expectNothingOfUpstream(reply);
  const completeness = completenessOf(reply);
  if (outcome.kind === "refused") {
    expect({ status: reply.status, code: errorIn(reply.text).code }).toEqual({ status: outcome.status, code: outcome.code });
  } else if (outcome.kind === "broken") {
    expect({ status: reply.status, completeness }).toEqual({ status: 200, completeness: "part" });
    const { chunks, error } = expectBrokenStream(reply.text);
    expect({ text: textOf(chunks), code: error.code }).toEqual({ text: outcome.text, code: outcome.code });
  } else if (outcome.kind === "answered") {
    expect({ status: reply.status, completeness }).toEqual({ status: 200, completeness: "all" });
    expect(textIn(reply)).toBe(outcome.text);
  }
  return completeness;
}

/** Checks that the reply has no header and no text of the upstream, except for the response itself. */
function expectNothingOfUpstream({ headers, text }: HostileReply): void {
  for (const [name, value] of headers) {
    expect(name).toMatch(OWN_HEADERS);
    expect(value).not.toContain("canary");
  }
  const wait = headers.get("retry-after");
  if (wait !== null) expect(wait).toMatch(/^([1-9]|[1-5][0-9])$/);
  expect(text).not.toContain("canary");
}

/** How much arrived. A reply must be an error, a broken stream or a valid response. */
function completenessOf({ model, stream, status, headers, text }: HostileReply): Completeness {
  if (status !== 200) {
    const { code, message } = errorIn(text);
    expect({ code, status }).toEqual({ code, status: CLOSED_LIST[code]! });
    expect(message.length).toBeLessThan(2100);
    return "nothing";
  }
  expect(headers.get("content-type")).toStartWith(stream ? "text/event-stream" : "application/json");
  if (!stream) {
    expectGoodCompletion(text, model);
    return "all";
  }
  const frames = framesOf(text);
  const isWhole = frames.at(-1) === "[DONE]";
  const chunks = isWhole ? frames.slice(0, -1).map((frame) => JSON.parse(frame) as Chunk) : expectBrokenStream(text).chunks;
  expect(chunks.length).toBeGreaterThan(0);
  for (const chunk of chunks) {
    expect(findViolation(chunkSchema, chunk)).toBeUndefined();
    expect(chunk).toMatchObject({ id: chunks[0]!.id, created: chunks[0]!.created, model });
    expect(chunk).not.toHaveProperty("error");
  }
  return isWhole ? "all" : "part";
}

function textIn({ stream, text }: HostileReply): string {
  if (stream)
    return textOf(
      framesOf(text)
        .slice(0, -1)
        .map((frame) => JSON.parse(frame) as Chunk),
    );
  return (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
}

function errorIn(text: string): { code: string; message: string } {
  const body = JSON.parse(text) as { error: { message: string; type: string; param: string | null; code: string } };
  expect(Object.keys(body)).toEqual(["error"]);
  expect(Object.keys(body.error)).toEqual(["message", "type", "param", "code"]);
  return body.error;
}

/** Checks the ledger entry that ended a request. If nothing arrived, nothing is charged. */
export function expectCharge(end: LedgerRow, completeness: Completeness, outcome: Outcome): void {
  if (completeness === "nothing") return expect({ kind: end.kind, amount: end.amount_nanos }).toEqual({ kind: "release", amount: 0n });
  expect(end.amount_nanos).toBeGreaterThanOrEqual(0n);
  if (outcome.kind === "broken") {
    const tokens = BigInt(Math.ceil(Buffer.byteLength(outcome.text) / 4));
    if (tokens === 0n) expect(end.kind).toBe("release");
    else expect(end).toMatchObject({ kind: "settle", provenance: "estimated", completion_tokens: tokens });
  } else if (outcome.kind === "answered") {
    const tokens = BigInt(Math.ceil(Buffer.byteLength(outcome.text) / 4));
    const counted = { kind: "settle", provenance: "measured", prompt_tokens: 5n, completion_tokens: 2n };
    expect(end).toMatchObject(outcome.isCounted ? counted : { kind: "settle", provenance: "estimated", completion_tokens: tokens });
  }
}
