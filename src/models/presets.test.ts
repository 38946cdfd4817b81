import { BILLED_PARAMETER_RULES } from "./parameters/billed-parameters.ts";
import { describe, expect, test } from "bun:test";
import { parameterRules } from "./parameters/dialect-parameters.ts";
import { problemOfBaseUrl } from "./base-url.ts";
import { remoteAt } from "./declared-upstream.ts";
import { FIELDS_WITHOUT_POLICY } from "./parameters/parameter-policy.ts";
import { PRESET_IDS, presetAt, presetOf, type PresetId } from "./presets.ts";

describe("presetAt", () => {
  test("finds every preset by its base URL, and by a customer's URL", () => {
    for (const id of PRESET_IDS) {
      const { baseUrl, dialect, isLocal } = presetOf(id);
      const address = baseUrl.replaceAll(/\{\w+\}/g, "europe-west1");
      expect([id, problemOfBaseUrl(address, isLocal ?? false)]).toEqual([id, undefined]);
      // Any server may listen at a port of this machine, so local presets are not recognized by URL.
      expect([id, presetAt(address, dialect)]).toEqual([id, isLocal ? undefined : id]);
    }
  });

  const elsewhere: [string, PresetId | undefined][] = [
    ["https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen"],
    ["https://api.moonshot.cn/v1", "moonshot"],
    ["https://api.together.ai/v1", "together"],
    ["https://me.services.ai.azure.com/openai/v1/", "azure"],
    ["https://me.openai.azure.com/openai", "azure-deployments"],
    ["https://me.openai.azure.us/openai/v1", "azure"],
    ["https://me.cognitiveservices.azure.cn/openai", "azure-deployments"],
    ["https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi", "vertex"],
    ["https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/endpoints/openapi", "vertex"],
    ["https://api.groq.com/another/path", "groq"],
    ["https://api.groq.com.attacker.test/openai/v1", undefined],
    ["https://api.groq.com:8443/openai/v1", undefined],
    ["https://attacker.test/me.openai.azure.com/openai/v1", undefined],
    ["https://attacker.test/api.moonshot.ai/v1", undefined],
    ["https://me.openai.azure.com.attacker.test/openai/v1", undefined],
    ["https://generativelanguage.googleapis.com/v1beta/openai", undefined],
    ["no address", undefined],
  ];
  test.each(elsewhere)("%s is %s", (address, id) => {
    expect(presetAt(address, "openai")).toBe(id);
  });

  test.each([
    ["https://bedrock-runtime.us-gov-west-1.amazonaws.com", "bedrock-converse"],
    ["https://bedrock-runtime-fips.us-gov-east-1.amazonaws.com/", "bedrock-converse"],
    ["https://bedrock-runtime.cn-northwest-1.amazonaws.com.cn", "bedrock-converse"],
    ["https://bedrock-runtime.us-iso-east-1.c2s.ic.gov", "bedrock-converse"],
    ["https://bedrock-runtime.us-east-1.amazonaws.com.attacker.test", undefined],
    ["https://bedrock-runtime.attacker.test/.amazonaws.com", undefined],
  ] as const)("%s in the dialect bedrock is %s", (address, id) => {
    expect(presetAt(address, "bedrock")).toBe(id);
  });
});

test("a preset's parameter rules apply to its upstreams, and never to required fields", () => {
  for (const id of PRESET_IDS.filter((each) => presetOf(each).dialect === "openai")) {
    const { parameters = {} } = presetOf(id).quirks ?? {};
    const settings = remoteAt(id, id, { baseUrl: "https://a.test", allowPrivate: false }, []);
    expect(parameterRules(settings, "m")).toMatchObject({ byName: { ...BILLED_PARAMETER_RULES, ...parameters }, others: "pass" });
    expect(Object.keys(parameters).filter((name) => FIELDS_WITHOUT_POLICY.has(name))).toEqual([]);
  }
});
