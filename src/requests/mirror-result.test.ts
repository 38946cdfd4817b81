import { expect, test } from "bun:test";
import { summarizeMirror, type ComparedResponse, type MirrorResult } from "./mirror-result.ts";

const FINE: ComparedResponse = {
  status: 200,
  finishReason: "stop",
  promptTokens: 10,
  completionTokens: 20,
  firstByteMs: 100,
  durationMs: 1000,
};

function result(mirror: Partial<ComparedResponse>, response: Partial<ComparedResponse> = {}): MirrorResult {
  const names = { requestId: "req_1", model: "m", upstream: "u", upstreamModel: "n", detail: null };
  return { ...names, response: { ...FINE, ...response }, mirror: { ...FINE, ...mirror } };
}

const FAILED = { finishReason: null, promptTokens: null, completionTokens: null, firstByteMs: null, durationMs: 1 };

test("counts equal statuses and finish reasons, and takes medians of what both have", () => {
  const results = [
    result({ completionTokens: 40, durationMs: 500, firstByteMs: 50 }),
    result({ finishReason: "length", completionTokens: 10, durationMs: 2000 }),
    result({ status: 502, ...FAILED }),
    result({ status: 502, ...FAILED }, { status: 502, ...FAILED }),
  ];
  expect(summarizeMirror(results)).toEqual({
    requests: 4,
    sameStatus: 3,
    finished: 3,
    sameFinishReason: 1,
    promptTokenRatio: 1,
    completionTokenRatio: 1.25,
    firstByteRatio: 0.75,
    durationRatio: 1.25,
  });
});

test("without results there is nothing to compare", () => {
  expect(summarizeMirror([])).toMatchObject({ requests: 0, finished: 0, promptTokenRatio: null, durationRatio: null });
});
