import { expect, test } from "bun:test";
import { toModel } from "./declared-model.ts";
import type { ParameterPolicy } from "./parameters/parameter-policy.ts";

function withPolicy(parameters: ParameterPolicy): unknown {
  const declared = { id: "m", routes: [{ upstream: "u", model: "m" }], free: true, parameters };
  const context = { createdSeconds: 0, state: { name: "available" } as const, defaultPrices: () => [] };
  return toModel(declared, context, (path, message) => {
    throw new Error(`${path.join(".")} ${message}`);
  }).parameters;
}

test("a policy cannot rename a parameter to a validated one", () => {
  for (const [name, target] of [
    ["longest", "max_tokens"],
    ["many", "n"],
    ["things", "tools"],
  ]) {
    expect(() => withPolicy({ [name!]: { rename: target! } })).toThrow(`parameters.${name}.rename names ${target}, which is checked`);
  }
  expect(() => withPolicy({ who: { rename: "model" } })).toThrow(
    "parameters.who.rename names model, which is a required part of every request",
  );
  expect(() => withPolicy({ a: { rename: "c" }, b: { rename: "c" } })).toThrow("parameters.b.rename names c, as another does");
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    expect(() => withPolicy({ [name]: "drop" })).toThrow(`parameters.${name} cannot be dropped`);
  }
});

test("max_tokens and max_completion_tokens may be renamed to each other, and unvalidated parameters to any name", () => {
  const policy: ParameterPolicy = {
    max_tokens: { rename: "max_completion_tokens" },
    min_p: { rename: "minimum_p" },
    seed: "drop",
    n: "refuse",
  };
  expect(withPolicy(policy)).toEqual(policy);
});
