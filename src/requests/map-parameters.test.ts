import { describe, expect, test } from "bun:test";
import { cpuMsOf } from "../../test/support/cpu-time.ts";
import { BILLED_PARAMETERS } from "../models/parameters/billed-parameters.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import { parameterRules } from "../models/parameters/dialect-parameters.ts";
import { NO_CHANGES, NO_POLICY, NO_RULES, type ParameterRules } from "../models/parameters/parameter-policy.ts";
import { mappedBody, mapParameters, reportedDrops, namesInHeader, refusedIn } from "./map-parameters.ts";

const RULES: ParameterRules = { byName: { n: "refuse", seed: "pass", old: { rename: "new" } }, others: "drop" };

describe("mapping parameters", () => {
  test("the operator's policy wins over the server's rules, and those over the default", () => {
    expect(mapParameters({ seed: 1, hint: 2, old: 3 }, RULES, {})).toEqual({ dropped: ["hint"], renamed: { old: "new" } });
    expect(mapParameters({ seed: 1, hint: 2, old: 3 }, RULES, { seed: "drop", hint: "pass", old: "drop" })).toEqual({
      dropped: ["seed", "old"],
      renamed: {},
    });
  });

  test("rejects a parameter that must not be dropped silently, unless it has its default value", () => {
    expect(() => mapParameters({ n: 2 }, RULES, {})).toThrow(expect.objectContaining({ code: "unsupported_parameter", param: "n" }));
    expect(mapParameters({ n: 1 }, RULES, {}).dropped).toEqual(["n"]);
    expect(mapParameters({ n: null }, RULES, {}).dropped).toEqual(["n"]);
    expect(mapParameters({ n: 2 }, RULES, { n: "drop" }).dropped).toEqual(["n"]);
  });

  test("no policy applies to model, messages and stream", () => {
    const body = { model: "m", messages: [], stream: true, stream_options: {} };
    expect(mapParameters(body, { byName: {}, others: "drop" }, { model: "drop" })).toEqual({ dropped: [], renamed: {} });
  });

  test("names of Object.prototype are ordinary names", () => {
    const body = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}') as Record<string, unknown>;
    expect(mapParameters(body, RULES, {}).dropped).toEqual(["__proto__", "constructor", "toString"]);
    expect(mapParameters({ toString: 3 }, { byName: {}, others: "pass" }, {}).dropped).toEqual([]);
  });

  test("a dialect that translates receives the mapped body", () => {
    const body = { seed: 1, hint: 2, old: 3, gone: null };
    expect(mappedBody(body, mapParameters(body, RULES, {}))).toEqual({ seed: 1, new: 3 });
  });
});

describe("parameters that change the model, the output length or the bill", () => {
  const settings = remoteAt("any", undefined, { baseUrl: "https://a.test", allowPrivate: false }, []);
  const rules = parameterRules(settings, "m");

  test.each(Object.entries(BILLED_PARAMETERS).filter(([, { handling }]) => handling === "refuse"))(
    "%s is refused at every server of the format, with what to use instead",
    (name, { instead }) => {
      const message = `${name} is not supported by this model${instead === undefined ? "" : `: use ${instead}`}.`;
      expect(() => mapParameters({ [name]: "x" }, rules, {})).toThrow(
        expect.objectContaining({ code: "unsupported_parameter", param: name, message }),
      );
      expect(mapParameters({ [name]: null }, rules, {}).dropped).toEqual([name]);
      expect(mapParameters({ [name]: "x" }, rules, { [name]: "pass" })).toBe(NO_CHANGES);
    },
  );

  test("default values are dropped", () => {
    const body = { service_tier: "default", modalities: ["text"], n_cmpl: 1, best_of: 1, use_beam_search: false };
    expect(mapParameters(body, rules, {}).dropped).toEqual(Object.keys(body));
    for (const [name, value] of Object.entries({ service_tier: "priority", modalities: ["text", "audio"] })) {
      expect(() => mapParameters({ [name]: value }, rules, {})).toThrow(`${name} is not supported`);
    }
  });

  test("rejects more top_logprobs than OpenAI allows, and names the maximum", () => {
    expect(mapParameters({ top_logprobs: 20 }, rules, {})).toBe(NO_CHANGES);
    expect(() => mapParameters({ top_logprobs: 21 }, rules, {})).toThrow("top_logprobs must be at most 20 for this model.");
    expect(mapParameters({ top_logprobs: 21 }, rules, { top_logprobs: "pass" })).toBe(NO_CHANGES);
    const mistral = parameterRules(remoteAt("any", "mistral", { baseUrl: "https://a.test", allowPrivate: false }, []), "m");
    expect(() => mapParameters({ top_logprobs: 21 }, mistral, {})).toThrow("top_logprobs is not supported by this model.");
  });

  test("passes parameters that are within the limits", () => {
    expect(mapParameters({ min_tokens: 5, ignore_eos: true, max_tokens: 7 }, rules, {})).toBe(NO_CHANGES);
  });

  test("rejects tools that run at the provider, unless the operator's policy passes them", () => {
    const tools = [{ type: "function" }, { type: "live_search" }];
    expect(() => mapParameters({ tools }, rules, {})).toThrow(expect.objectContaining({ code: "unsupported_parameter", param: "tools" }));
    expect(refusedIn({ tools, n_predict: 5, user: "u" }, rules, {})).toEqual(["tools", "n_predict"]);
    expect(mapParameters({ tools }, rules, { tools: "pass" })).toBe(NO_CHANGES);
    expect(mapParameters({ tools: [{ type: "function" }, { type: "custom" }] }, rules, {})).toBe(NO_CHANGES);
  });

  test("rejects a name that differs from one in the policy only by case, and names both", () => {
    const policy = { my_limit: "refuse", stop: "drop" } as const;
    for (const [name, known] of [
      ["My_Limit", "my_limit"],
      ["STOP", "stop"],
    ]) {
      expect(() => mapParameters({ [name!]: 1 }, NO_RULES, policy)).toThrow(
        expect.objectContaining({
          code: "invalid_value",
          param: name,
          message: `${name} is not spelled exactly like ${known}, and some servers would take it for that.`,
        }),
      );
    }
  });
});

describe("unknown parameters", () => {
  const body = { seed: 1, made_up: 2, metadata: {}, n: 1 };

  test("are passed, dropped or rejected as configured; known parameters are not affected", () => {
    expect(mapParameters(body, NO_RULES, NO_POLICY, "pass")).toBe(NO_CHANGES);
    expect(mapParameters(body, NO_RULES, NO_POLICY, "drop").dropped).toEqual(["made_up"]);
    expect(() => mapParameters(body, NO_RULES, NO_POLICY, "refuse")).toThrow("made_up is not supported by this model.");
    expect(refusedIn(body, NO_RULES, NO_POLICY, "refuse")).toEqual(["made_up"]);
  });

  test("explicit rules win, of the operator and of the server", () => {
    expect(mapParameters(body, NO_RULES, { made_up: "pass" }, "refuse")).toBe(NO_CHANGES);
    expect(mapParameters({ old: 1 }, RULES, NO_POLICY, "refuse").renamed).toEqual({ old: "new" });
    expect(mapParameters({ made_up: 1 }, RULES, NO_POLICY, "pass")).toBe(NO_CHANGES);
  });
});

describe("dropped parameters that are reported", () => {
  test("are those with a value other than the default", () => {
    expect(reportedDrops({ dropped: ["n", "seed", "user"], renamed: {} }, { n: 1, seed: 7, user: null })).toEqual(["seed"]);
  });

  test("fit into a header, whatever their names and number", () => {
    expect(namesInHeader(["seed", "x.y-z"])).toBe("seed, x.y-z");
    expect(namesInHeader(["seed", "é€", "a\r\nb: c", "", "x".repeat(65)])).toBe("seed, ...");
    const many = namesInHeader(Array.from({ length: 3000 }, (_, at) => `p${at}`));
    expect(many).toEndWith(", p19, ...");
    expect(() => new Headers({ x: many })).not.toThrow();
  });
});

test("a hundred thousand unknown fields do not block the event loop", () => {
  const body = { seed: 5, ...Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`made_up_${at}`, at])) };
  expect(mappedBody(body, mapParameters(body, RULES, {}))).toEqual({ seed: 5 });
  // It took 46 s when every parameter was compared with all others.
  expect(cpuMsOf(() => void mappedBody(body, mapParameters(body, RULES, {})))).toBeLessThan(5_000);
}, 300_000);
