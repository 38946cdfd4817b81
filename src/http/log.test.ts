import { expect, test } from "bun:test";
import { makeApiKey } from "../vocabulary/api-key.ts";
import { createLog, formatAsJson, formatForTerminal } from "./log.ts";

test("lines wait for each other, and flush puts them out", () => {
  const written: string[] = [];
  const log = createLog(
    (text) => written.push(text),
    (_, facts) => JSON.stringify(facts),
  );
  log.write({ a: 1 });
  log.write({ b: 2 });
  expect(written).toEqual([]);
  log.flush();
  log.flush();
  expect(written).toEqual(['{"a":1}\n{"b":2}\n']);
});

test("a key that a caller put somewhere odd is not written down", () => {
  let written = "";
  const log = createLog((text) => (written += text), formatAsJson);
  const { id, key } = makeApiKey();
  log.write({ path: `/v1/${key.reveal()}`, param: key.reveal() });
  log.flush();
  expect(written).not.toContain(key.reveal().slice(-38));
  expect(written).toContain(`"param":"sk-service-${id}…"`);
});

test("a line cannot be forged from inside: one record, one line, no control characters", () => {
  const facts = { listener: "gateway", method: "GET", path: "/x", status: 200, duration_ms: 3, model: 'a\n{"forged":true}\u001b[2J' };
  expect(formatAsJson(new Date(0), facts).split("\n")).toHaveLength(1);
  expect(formatAsJson(new Date(0), facts)).not.toContain("\u001b");
  expect(formatForTerminal(new Date(0), facts)).toEndWith('  200  GET /x  3 ms  model="a\\n{\\"forged\\":true}\\u001b[2J"');
});

test("a terminal shows what a person looks for, and the request id where something failed", () => {
  const facts = {
    listener: "gateway",
    method: "POST",
    path: "/x",
    status: 200,
    duration_ms: 3,
    request_id: "req_1",
    prompt_tokens: 1,
    completion_tokens: 12,
  };
  expect(formatForTerminal(new Date(0), facts)).toEndWith("  200  POST /x  3 ms  1+12 tokens");
  const failed = {
    listener: "platform",
    method: "GET",
    path: "/y",
    status: 404,
    duration_ms: 0,
    request_id: "req_2",
    code: "unknown_key",
    param: null,
  };
  expect(formatForTerminal(new Date(0), failed)).toEndWith("  404  GET /y  0 ms  code=unknown_key request_id=req_2 listener=platform");
});
