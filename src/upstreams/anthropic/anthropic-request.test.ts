import { describe, expect, test } from "bun:test";
import { callOf, NEWER, type CallOptions } from "../../../test/dialects/messages-call.ts";
import { toMessagesRequest, toThinking, type TurnsContext } from "./anthropic-request.ts";
import { cpuMsOf } from "../../../test/support/cpu-time.ts";
import { isOn } from "../claude/claude-thinking.ts";
import type { Turn } from "./anthropic-turns.ts";

function sent(body: Record<string, unknown>, options: CallOptions = {}): Record<string, unknown> {
  return toMessagesRequest(callOf(body, options));
}

function samplingOf(body: Record<string, unknown>): unknown {
  const { temperature, top_p: topP, top_k: topK } = sent(body);
  return [temperature, topP, topK];
}

const HELLO = [{ role: "user", content: [{ type: "text", text: "Hello!" }] }];

test("translates a minimal request", () => {
  expect(sent({})).toEqual({ model: "claude-sonnet-4-5", max_tokens: 16_384, messages: HELLO });
  expect(sent({ stream: true, stream_options: { include_usage: true } })).toMatchObject({ stream: true });
});

test("moves system messages to the system field", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello!" },
  ];
  expect(sent({ messages })).toMatchObject({ system: [{ type: "text", text: "Be brief." }], messages: HELLO });
});

describe("max_tokens, which the API requires,", () => {
  test.each([
    [{ max_tokens: 9 }, undefined, 9],
    [{ max_completion_tokens: 8 }, undefined, 8],
    [{ max_tokens: 9, max_completion_tokens: 8 }, undefined, 8],
    [{ max_tokens: 9 }, 5, 5],
    [{}, undefined, 16_384],
  ])("with %j and the gateway's limit at %p", (body, maxTokens, expected) => {
    expect(sent(body, maxTokens === undefined ? {} : { maxTokens })).toMatchObject({ max_tokens: expected });
  });
});

describe("sampling", () => {
  test.each([
    [{ temperature: 0.3 }, [0.3, undefined, undefined]],
    [{ temperature: 1.7 }, [1, undefined, undefined]],
    [{ top_p: 0.5, top_k: 40 }, [undefined, 0.5, 40]],
    [{ temperature: 0.3, top_p: 0.5 }, [0.3, undefined, undefined]],
    [{ temperature: 1, top_p: 0.5 }, [undefined, 0.5, undefined]],
    [{ temperature: 0.3, top_k: 5, reasoning_effort: "low" }, [undefined, undefined, undefined]],
    [{ top_p: 0.97, thinking: { type: "enabled", budget_tokens: 1024 } }, [undefined, 0.97, undefined]],
    [{ temperature: 0.3, thinking: { type: "disabled" } }, [0.3, undefined, undefined]],
  ])("%j", (body, expected) => {
    expect(samplingOf(body)).toEqual(expected);
  });
});

test.each([
  ["END", ["END"]],
  [
    ["a", "\n", "b"],
    ["a", "b"],
  ],
  ["\n\n", undefined],
  [[], undefined],
])("the stop %j", (stop, expected) => {
  expect(sent({ stop })["stop_sequences"]).toEqual(expected);
});

test.each([
  [{ user: "u-1" }, { user_id: "u-1" }],
  [{ user: "u-1", safety_identifier: "s-1" }, { user_id: "s-1" }],
  [{ user: "ada@example.com" }, undefined],
  [{ user: "+47 22 12 34 56" }, undefined],
  [{ user: "u".repeat(257) }, undefined],
  [{ user: "" }, undefined],
])("the user %j", (body, expected) => {
  expect(sent(body)["metadata"]).toEqual(expected);
});

test("checks a user id of 100,000 characters in linear time", () => {
  const body = { user: "@".repeat(100_000) };
  expect(sent(body)).not.toHaveProperty("metadata");
  expect(cpuMsOf(() => void sent(body))).toBeLessThan(2_000);
}, 300_000);

describe("response_format", () => {
  const schema = { type: "object", properties: { rain: { type: "boolean" } }, required: ["rain"], additionalProperties: false };
  const asked = { type: "json_schema", json_schema: { name: "weather", strict: true, schema } };

  test("becomes an output schema", () => {
    expect(sent({ response_format: asked })["output_config"]).toEqual({ format: { type: "json_schema", schema } });
  });

  test("is merged with the effort and the caller's output_config", () => {
    const format = { type: "json_schema", schema };
    expect(sent({ response_format: asked, reasoning_effort: "low" }, { upstreamModel: NEWER })["output_config"]).toEqual({
      effort: "low",
      format,
    });
    const own = { effort: "max", task_budget: 5 };
    expect(
      sent({ output_config: own, response_format: asked, reasoning_effort: "low" }, { upstreamModel: NEWER })["output_config"],
    ).toEqual({
      ...own,
      format,
    });
  });

  test("is omitted for text", () => {
    expect(sent({ response_format: { type: "text" } })).not.toHaveProperty("output_config");
  });

  test.each([
    [{ type: "json_object" }, "unsupported_parameter", "response_format"],
    [{ type: "grammar" }, "unsupported_parameter", "response_format"],
    [{ type: "json_schema" }, "invalid_value", "response_format.json_schema.schema"],
  ])("rejects %j", (format, code, param) => {
    expect(() => sent({ response_format: format })).toThrow(expect.objectContaining({ code, param }));
  });

  test("rejects an output_config that is not an object", () => {
    expect(() => sent({ output_config: "x" })).toThrow(expect.objectContaining({ code: "invalid_value", param: "output_config" }));
  });
});

test("passes the Messages API's own fields unchanged", () => {
  const own = { cache_control: { type: "ephemeral" }, thinking: { type: "disabled" } };
  expect(sent(own)).toMatchObject(own);
});

test("removes the ttl of cache_control everywhere, because a model has one cache-write price", () => {
  const hour = { type: "ephemeral", ttl: "1h" };
  const part = { type: "text", text: "a", cache_control: hour };
  const weather = { type: "function", function: { name: "weather", cache_control: hour } };
  const body = sent({
    cache_control: hour,
    messages: [
      { role: "system", content: [part] },
      { role: "user", content: "b", cache_control: hour },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "weather", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content: [part] },
    ],
    tools: [{ type: "function", function: { name: "time" }, cache_control: hour }, weather],
  });
  expect(JSON.stringify(body).match(/"cache_control":{"type":"ephemeral"}/g)).toHaveLength(6);
  expect(JSON.stringify(body)).not.toContain("ttl");
});

test("drops inference_geo, which changes the price", () => {
  expect(sent({ inference_geo: "us" })).not.toHaveProperty("inference_geo");
  expect(sent({ inference_geo: "us" }, { policy: { inference_geo: "pass" } })).toMatchObject({ inference_geo: "us" });
});

test("passes allowed parameters unchanged, and renamed ones under their new name", () => {
  expect(sent({ service_tier: "auto", effort: 5 }, { policy: { service_tier: "pass", effort: { rename: "top_k" } } })).toMatchObject({
    service_tier: "auto",
    top_k: 5,
  });
});

test("sends no other chat-completions fields", () => {
  const body = { seed: 5, logit_bias: {}, store: true, metadata: { a: "b" }, n: 1, frequency_penalty: 1, stream_options: {} };
  expect(Object.keys(sent(body))).toEqual(["model", "max_tokens", "messages"]);
});

describe("anthropic thinking", () => {
  const QUESTION: Turn = { role: "user", content: [{ type: "text", text: "Hello!" }] };
  const USE = { type: "tool_use", id: "a", name: "weather", input: {} };
  const THOUGHT = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const RESULT: Turn = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };

  function thinkingFor(body: Record<string, unknown>, more: Partial<TurnsContext> = {}): unknown {
    return toThinking(body, { upstreamModel: "claude-sonnet-4-5", maxTokens: 10_000, turns: [QUESTION], isForced: false, ...more });
  }

  const effort = (level: string): Record<string, unknown> => ({ reasoning_effort: level });

  describe("a model with a thinking budget", () => {
    test.each([
      ["minimal", 1_024],
      ["low", 2_000],
      ["medium", 5_000],
      ["high", 8_000],
      ["xhigh", 9_000],
      ["max", 9_500],
    ])("sends a share of max_tokens for the effort %s", (level, budget) => {
      expect(thinkingFor(effort(level))).toEqual({ thinking: { type: "enabled", budget_tokens: budget } });
    });

    test("caps the budget, and sends none if max_tokens leaves no room for text", () => {
      expect(thinkingFor(effort("high"), { maxTokens: 128_000 })).toEqual({ thinking: { type: "enabled", budget_tokens: 32_000 } });
      expect(thinkingFor(effort("low"), { maxTokens: 2_048 })).toEqual({ thinking: { type: "enabled", budget_tokens: 1_024 } });
      expect(thinkingFor(effort("max"), { maxTokens: 2_047 })).toEqual({});
    });

    test("does not think with a forced tool, a prefill, or without an effort", () => {
      expect(thinkingFor(effort("high"), { isForced: true })).toEqual({});
      expect(thinkingFor(effort("high"), { turns: [QUESTION, { role: "assistant", content: [{ type: "text", text: "So" }] }] })).toEqual(
        {},
      );
      expect(thinkingFor({})).toEqual({});
      expect(thinkingFor(effort("none"))).toEqual({});
    });

    test("does not think where the client has not sent back the thinking of its tool calls", () => {
      const lost: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
      const kept: Turn[] = [QUESTION, { role: "assistant", content: [THOUGHT, USE] }, RESULT];
      const on = { thinking: { type: "enabled", budget_tokens: 8_000 } };
      expect(thinkingFor(effort("high"), { turns: lost })).toEqual({});
      expect(thinkingFor(effort("high"), { turns: kept })).toEqual(on);
      // An agent loop thinks once, at its start: later calls have no thinking to send back.
      expect(thinkingFor(effort("high"), { turns: [...kept, { role: "assistant", content: [USE] }, RESULT] })).toEqual(on);
      expect(thinkingFor(effort("high"), { turns: [...lost, { role: "assistant", content: [THOUGHT, USE] }, RESULT] })).toEqual({});
      // Completed turns need no thinking.
      expect(
        thinkingFor(effort("high"), { turns: [...lost, { role: "assistant", content: [{ type: "text", text: "Rain." }] }, QUESTION] }),
      ).toEqual(on);
    });
  });

  describe("a model with effort levels", () => {
    const adaptive = { type: "adaptive", display: "summarized" };
    const newer = { upstreamModel: "claude-opus-4-6" };

    test.each([
      ["minimal", "low"],
      ["low", "low"],
      ["medium", "medium"],
      ["high", "high"],
      ["xhigh", "high"],
      ["max", "max"],
    ])("maps %s to %s", (level, mapped) => {
      expect(thinkingFor(effort(level), newer)).toEqual({ effort: mapped, thinking: adaptive });
    });

    test("passes every level that the model supports", () => {
      expect(thinkingFor(effort("xhigh"), { upstreamModel: "claude-opus-4-7" })).toEqual({ effort: "xhigh", thinking: adaptive });
    });

    test("does not enable thinking with a forced tool", () => {
      expect(thinkingFor(effort("high"), { ...newer, isForced: true })).toEqual({ effort: "high" });
    });

    test("thinks in an agent loop without the earlier thinking, which the API accepts", () => {
      const turns: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
      expect(thinkingFor(effort("low"), { ...newer, turns })).toEqual({ effort: "low", thinking: adaptive });
    });

    test.each([
      ["claude-opus-4-8", {}],
      ["claude-opus-5", { thinking: { type: "disabled" } }],
      ["claude-opus-5-5", { effort: "low" }],
    ])("%s thinks as little as possible with the effort none", (upstreamModel, expected) => {
      expect(thinkingFor(effort("none"), { upstreamModel })).toEqual(expected);
    });
  });

  test("the caller's thinking takes precedence, except a budget that the API would reject in an agent loop", () => {
    const own = { type: "enabled", budget_tokens: 5_000 };
    const lost: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
    expect(thinkingFor({ thinking: own, reasoning_effort: "low" }, { isForced: true })).toEqual({ thinking: own });
    expect(thinkingFor({ thinking: own }, { turns: lost })).toEqual({});
    expect(thinkingFor({ thinking: { type: "adaptive" } }, { turns: lost })).toEqual({ thinking: { type: "adaptive" } });
  });

  test("rejects an unknown effort", () => {
    for (const wrong of ["enormous", "toString", 5, {}]) {
      expect(() => thinkingFor({ reasoning_effort: wrong })).toThrow(
        expect.objectContaining({ code: "invalid_value", param: "reasoning_effort" }),
      );
    }
  });

  test("thinking is on unless it is disabled or absent", () => {
    expect([{ type: "enabled" }, { type: "adaptive" }, { type: "disabled" }, undefined].map((thinking) => isOn({ thinking }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
