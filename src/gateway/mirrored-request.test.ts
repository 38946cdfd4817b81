import { expect, test } from "bun:test";
import { finishReasonIn, isSampled } from "./mirrored-request.ts";

function sampledOf(ids: readonly string[], percent: number): readonly string[] {
  return ids.filter((id) => isSampled(id, percent));
}

test("samples about the percentage, all at 100 %, and at a higher percentage the same requests and others", () => {
  const ids = Array.from({ length: 20_000 }, () => `req_${Bun.randomUUIDv7()}`);
  expect(sampledOf(ids, 100)).toHaveLength(ids.length);
  expect(sampledOf(ids, 5).length).toBeWithin(800, 1200);
  expect(sampledOf(ids, 0.5).length).toBeWithin(50, 160);
  expect(sampledOf(sampledOf(ids, 5), 50)).toEqual(sampledOf(ids, 5));
});

function choice(content: string, reason: string | null): object {
  return { index: 0, message: { content }, finish_reason: reason };
}

test("reads the finish reason of the first choice, and not one in the text", () => {
  const text = 'It said "finish_reason": "length", "finish_reason":"x".';
  expect(finishReasonIn(JSON.stringify({ choices: [choice(text, "stop"), choice("", "length")] }))).toBe("stop");
  expect(finishReasonIn(JSON.stringify({ choices: [choice(text, null)] }, null, 2))).toBeNull();
  expect(finishReasonIn(JSON.stringify({ choices: [choice(JSON.stringify({ finish_reason: "x" }), "tool_calls")] }, null, 2))).toBe(
    "tool_calls",
  );
});
