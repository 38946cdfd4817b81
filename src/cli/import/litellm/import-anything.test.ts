import * as fc from "fast-check";
import { expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import { CANARY, litellmConfig } from "../../../../test/litellm/config-arbitraries.ts";
import { sampleVariables } from "../../../../test/litellm/sample-variables.ts";
import { runs } from "../../../../test/support/long.ts";
import { parseConfigFile } from "../../../config/config-file.ts";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import { withoutSpaces } from "./references.ts";
import { importLiteLLM, type ImportedConfig } from "./import-litellm.ts";

function contentsOf({ config }: ImportedConfig): { upstreams: DeclaredUpstream[]; models: DeclaredModel[] } {
  return parse(config) as { upstreams: DeclaredUpstream[]; models: DeclaredModel[] };
}

test("any converted file is accepted by the config parser and contains no secret", () => {
  fc.assert(
    fc.property(litellmConfig, (sections) => {
      const imported = importLiteLLM(stringify(sections), "config.yaml");
      expect(JSON.stringify(imported)).not.toContain(CANARY);
      const { upstreams } = contentsOf(imported);
      const env = sampleVariables(upstreams, "https://llm.example");
      if (Object.hasOwn(env, "AWS_REGION_NAME")) env["AWS_REGION_NAME"] = "us-west-2";
      const { catalog } = parseConfigFile(imported.config, "tollgate.yaml", env, 0);
      expect(catalog.size).toBe(imported.models);
    }),
    runs(40, 1600),
  );
}, 300_000);

test("each deployment is converted or listed, exactly once", () => {
  fc.assert(
    fc.property(litellmConfig, ({ model_list: list, credential_list }) => {
      const imported = importLiteLLM(stringify({ model_list: list, credential_list }), "config.yaml");
      const named = imported.unsupported.flatMap(({ field }) => /^model_list\[(\d+)\]$/.exec(field)?.[1] ?? []).map(Number);
      expect(new Set(named).size).toBe(named.length);
      const kept = list.filter((_, at) => !named.includes(at)) as { model_name: string; litellm_params: { model: string } }[];
      const { models } = contentsOf(imported);
      const byName = Map.groupBy(kept, (each) => withoutSpaces(each.model_name));
      expect(models.map(({ id }) => id)).toEqual([...byName.keys()]);
      for (const { id, routes } of models) {
        const given = byName.get(id)!.map((each) => each.litellm_params.model);
        expect(routes).toHaveLength(given.length);
        const names = routes.map(({ model }) => model.replace(/^accounts\/fireworks\/(models|routers)\//, ""));
        for (const name of names) expect(given.some((each) => each.endsWith(name))).toBe(true);
      }
    }),
    runs(60, 3000),
  );
}, 300_000);
