import { describe, expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import { importLiteLLM, type Imported } from "./import-litellm.ts";

function importOne(params: object, info: object = {}): Imported {
  return importLiteLLM(stringify({ model_list: [{ model_name: "m", litellm_params: params, model_info: info }] }), "c.yaml");
}

function carried(params: object, info?: object): { model: DeclaredModel; whys: string[] } {
  const { config, unsupported } = importOne(params, info);
  return { model: (parse(config) as { models: DeclaredModel[] }).models[0]!, whys: unsupported.map(({ why }) => why) };
}

describe("a deployment with a name that somebody made up", () => {
  const azure = { model: "azure/dep", api_base: "https://acme.openai.azure.com", api_key: "os.environ/K" };

  test("costs what its base_model does by the default prices, and says so", () => {
    const imported = importOne(azure, { base_model: "azure/gpt-4o-2024-08-06" });
    expect(imported.unsupported).toEqual([]);
    expect(imported.config).toContain('- id: m # priced as its base_model "azure/gpt-4o-2024-08-06", by the default prices\n');
    const price = { input_per_million: 2.5, output_per_million: 10, cached_input_per_million: 1.25 };
    expect((parse(imported.config) as { models: DeclaredModel[] }).models[0]!.price).toEqual(price);
    for (const base_model of ["gpt-4o", "azure/global/gpt-4o", "openai/gpt-4o"]) {
      expect(carried(azure, { base_model }).model.price).toEqual(price);
    }
    expect(carried({ ...azure, base_model: "azure/gpt-4o" }).model.price).toEqual(price);
  });

  test("costs what it says itself, if it says so; one that nobody knows is refused", () => {
    const own = { ...azure, input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    expect(carried(own, { base_model: "azure/gpt-4o" }).model.price).toEqual({ input_per_million: 1, output_per_million: 2 });
    const unknown = carried(azure, { base_model: "azure/eu/gpt-4o" });
    expect(unknown.model.price).toBeUndefined();
    expect(unknown.whys.join()).toContain("carried without a price");
  });

  test("is left to the default where its name has the same", () => {
    expect(carried({ ...azure, model: "azure/gpt-4o" }, { base_model: "azure/gpt-4o" })).toMatchObject({ whys: [] });
    expect(carried({ ...azure, model: "azure/gpt-4o" }, { base_model: "azure/gpt-4o" }).model.price).toBeUndefined();
  });

  test("has every version of a price that changes, with its day", () => {
    const { model } = carried(azure, { base_model: "azure/gpt-5.6-luna" });
    expect(model.prices).toHaveLength(2);
    expect(model.prices![0]!.effective).toBeUndefined();
    expect(model.prices![1]!.effective).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  test("goes behind one of the same model_name that has a price", () => {
    const priced = { model_name: "m", litellm_params: azure, model_info: { base_model: "azure/gpt-4o" } };
    const unpriced = { model_name: "m", litellm_params: { ...azure, model: "azure/other" } };
    const { config, unsupported } = importLiteLLM(stringify({ model_list: [unpriced, priced, unpriced, priced] }), "c.yaml");
    expect((parse(config) as { models: DeclaredModel[] }).models.map(({ routes }) => routes.map(({ model }) => model))).toEqual([
      ["dep", "other"],
    ]);
    const terms = 'carried as a route of "m", at the price and with the limits of model_list[1]: a model has them once';
    expect(unsupported.map(({ field, why }) => `${field}: ${why}`)).toEqual([
      `model_list[0].litellm_params.model: ${terms}`,
      "model_list[2]: it is served as model_list[0] is, which is carried",
      "model_list[3]: it is served as model_list[1] is, which is carried",
    ]);
  });
});
