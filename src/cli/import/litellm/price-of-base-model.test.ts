import { describe, expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import { importLiteLLM, type ImportedConfig } from "./import-litellm.ts";

function importOne(params: object, info: object = {}): ImportedConfig {
  return importLiteLLM(stringify({ model_list: [{ model_name: "m", litellm_params: params, model_info: info }] }), "c.yaml");
}

function converted(params: object, info?: object): { model: DeclaredModel; whys: string[] } {
  const { config, unsupported } = importOne(params, info);
  return { model: (parse(config) as { models: DeclaredModel[] }).models[0]!, whys: unsupported.map(({ why }) => why) };
}

describe("a deployment with an arbitrary name", () => {
  const azure = { model: "azure/dep", api_base: "https://acme.openai.azure.com", api_key: "os.environ/K" };

  test("has the default price of its base_model, with a comment", () => {
    const imported = importOne(azure, { base_model: "azure/gpt-4o-2024-08-06" });
    expect(imported.unsupported).toEqual([]);
    expect(imported.config).toContain('- id: m # priced as its base_model "azure/gpt-4o-2024-08-06", by the default prices\n');
    const price = { input_per_million: 2.5, output_per_million: 10, cached_input_per_million: 1.25 };
    expect((parse(imported.config) as { models: DeclaredModel[] }).models[0]!.price).toEqual(price);
    for (const base_model of ["gpt-4o", "azure/global/gpt-4o", "openai/gpt-4o"]) {
      expect(converted(azure, { base_model }).model.price).toEqual(price);
    }
    expect(converted({ ...azure, base_model: "azure/gpt-4o" }).model.price).toEqual(price);
  });

  test("has its own price if given; an unknown base_model has none", () => {
    const own = { ...azure, input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    expect(converted(own, { base_model: "azure/gpt-4o" }).model.price).toEqual({ input_per_million: 1, output_per_million: 2 });
    const unknown = converted(azure, { base_model: "azure/eu/gpt-4o" });
    expect(unknown.model.price).toBeUndefined();
    expect(unknown.whys.join()).toContain("converted without a price");
  });

  test("has no written price if the default is the same", () => {
    expect(converted({ ...azure, model: "azure/gpt-4o" }, { base_model: "azure/gpt-4o" })).toMatchObject({ whys: [] });
    expect(converted({ ...azure, model: "azure/gpt-4o" }, { base_model: "azure/gpt-4o" }).model.price).toBeUndefined();
  });

  test("has every version of a price, with its effective date", () => {
    const { model } = converted(azure, { base_model: "azure/gpt-5.6-luna" });
    expect(model.prices).toHaveLength(2);
    expect(model.prices![0]!.effective).toBeUndefined();
    expect(model.prices![1]!.effective).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  test("comes after a deployment of the same model_name with a price", () => {
    const priced = { model_name: "m", litellm_params: azure, model_info: { base_model: "azure/gpt-4o" } };
    const unpriced = { model_name: "m", litellm_params: { ...azure, model: "azure/other" } };
    const { config, unsupported } = importLiteLLM(stringify({ model_list: [unpriced, priced, unpriced, priced] }), "c.yaml");
    expect((parse(config) as { models: DeclaredModel[] }).models.map(({ routes }) => routes.map(({ model }) => model))).toEqual([
      ["dep", "other"],
    ]);
    const terms = 'converted to a route of "m". A model has one price and one set of limits, which come from model_list[1]';
    expect(unsupported.map(({ field, why }) => `${field}: ${why}`)).toEqual([
      `model_list[0].litellm_params.model: ${terms}`,
      "model_list[2]: it duplicates model_list[0], which is converted",
      "model_list[3]: it duplicates model_list[1], which is converted",
    ]);
  });
});
