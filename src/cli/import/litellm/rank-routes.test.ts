import { describe, expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import { importLiteLLM } from "./import-litellm.ts";

/** The routes of a model with one deployment for each of these settings. */
function routesOf(...each: Record<string, unknown>[]): unknown[] {
  const list = each.map((params, at) => ({ model_name: "m", litellm_params: { model: `groq/llama-3.3-70b-versatile-${at}`, ...params } }));
  const { config } = importLiteLLM(stringify({ model_list: list }), "c.yaml");
  const { models } = parse(config) as { models: DeclaredModel[] };
  return models[0]!.routes.map(({ priority, weight }) => [priority, weight]);
}

describe("the deployments of one name become routes", () => {
  const cases: [string, Record<string, unknown>[], [priority?: number | undefined, weight?: number | undefined][]][] = [
    ["all alike", [{}, {}], [[], []]],
    ["with their weights", [{ weight: 9 }, { weight: 3 }], [[undefined, 3], []]],
    ["with weights that are parts of one", [{ weight: 0.75 }, { weight: 0.25 }], [[undefined, 3], []]],
    ["with weights beyond ours", [{ weight: 50_000 }, { weight: 100_000 }], [[], [undefined, 2]]],
    ["one that has no weight beside others gets no traffic", [{ weight: 5 }, {}], [[], [undefined, 0]]],
    ["one with weight 0 gets no traffic", [{ weight: 0 }, { weight: 6 }, { weight: 3 }], [[undefined, 0], [undefined, 2], []]],
    ["a weight of 0 on all of them does not count", [{ weight: 0 }, {}], [[], []]],
    ["requests per minute count where no weight is above 0", [{ weight: 0 }, { weight: 0, rpm: 5 }], [[undefined, 0], []]],
    ["weights count within an order", [{ order: 1 }, { order: 2, weight: 4 }, { order: 2, weight: 2 }], [[], [2, 2], [2]]],
    ["a tiny weight is not 0", [{ weight: 1e-9 }, { weight: 0 }, { weight: 1 }], [[], [undefined, 0], [undefined, 1000]]],
    ["by requests per minute, where none has a weight", [{ rpm: 900 }, { rpm: 100 }], [[undefined, 9], []]],
    [
      "by their weights, where there are both",
      [
        { rpm: 900, weight: 1 },
        { rpm: 100, weight: 2 },
      ],
      [[], [undefined, 2]],
    ],
    ["in their order", [{ order: 7 }, { order: 2 }, { order: 7 }], [[2], [], [2]]],
    ["those without an order after the others", [{}, { order: 1 }], [[2], []]],
    ["a single one has no rank", [{ order: 5, weight: 7 }], [[]]],
  ];
  test.each(cases)("%s", (_, deployments, wanted) => {
    expect(routesOf(...deployments)).toEqual(wanted.map(([priority, weight]) => [priority, weight]));
  });
});

test("an invalid weight is reported", () => {
  const text = stringify({ model_list: [{ model_name: "m", litellm_params: { model: "groq/x", weight: "heavy" } }] });
  const { unsupported } = importLiteLLM(text, "c.yaml");
  expect(unsupported).toContainEqual(expect.objectContaining({ field: "model_list[0].litellm_params.weight", why: "it must be a number" }));
});
