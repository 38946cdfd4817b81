import { describe, expect, test } from "bun:test";
import { makeApiKey } from "../access/api-key.ts";
import { PRESET_IDS, presetOf } from "../models/presets.ts";
import { discoverable, withoutBaseUrl } from "./environment.ts";

/** The upstreams that are discovered, except on this machine: ID, address and credentials. */
function found(env: Record<string, string>): [string, string, string[]][] {
  const remote = discoverable(env).filter(({ allowPrivate }) => !allowPrivate);
  return remote.map(({ id, baseUrl, credentials }) => [id, baseUrl, credentials.map((each) => each.reveal())]);
}

const OWN_KEY = makeApiKey().key.reveal();

describe("discovery in the environment", () => {
  const providers = PRESET_IDS.filter((id) => presetOf(id).variables && !presetOf(id).customerUrl);

  test.each(providers)("%s, where one of its variables is set, once", (id) => {
    const { variables, baseUrl, dialect } = presetOf(id);
    for (const name of variables!) {
      expect(found({ [name]: "secret" })).toEqual([[id, baseUrl, ["secret"]]]);
      expect(found({ [name]: OWN_KEY })).toEqual([]);
      expect(discoverable({ [name]: "secret" })).toContainEqual(expect.objectContaining({ id, preset: id, dialect }));
    }
    expect(found(Object.fromEntries(variables!.map((name, at) => [name, `secret-${at}`])))).toEqual([[id, baseUrl, ["secret-0"]]]);
  });

  const azure = "https://me.openai.azure.com";
  const placed: [string, Record<string, string>, [string, string, string[]][]][] = [
    [
      "Bedrock in its region",
      { AWS_BEARER_TOKEN_BEDROCK: "b", AWS_REGION: "eu-central-1", AWS_DEFAULT_REGION: "us-east-1" },
      [["bedrock", "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1", ["b"]]],
    ],
    [
      "Bedrock in the default region",
      { AWS_BEARER_TOKEN_BEDROCK: "b", AWS_DEFAULT_REGION: "us-east-1" },
      [["bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", ["b"]]],
    ],
    ["no Bedrock without a region", { AWS_BEARER_TOKEN_BEDROCK: "b" }, []],
    ["no Bedrock without a credential", { AWS_REGION: "us-east-1" }, []],
    ["Azure at its endpoint", { AZURE_OPENAI_API_KEY: "a", AZURE_OPENAI_ENDPOINT: `${azure}/` }, [["azure", `${azure}/openai/v1`, ["a"]]]],
    [
      "Azure at an endpoint that has the path already",
      { AZURE_OPENAI_API_KEY: "a", AZURE_OPENAI_ENDPOINT: `${azure}/openai/v1/` },
      [["azure", `${azure}/openai/v1`, ["a"]]],
    ],
    ["no Azure without an endpoint", { AZURE_OPENAI_API_KEY: "a" }, []],
    ["no Azure with a key of our own", { AZURE_OPENAI_API_KEY: OWN_KEY, AZURE_OPENAI_ENDPOINT: azure }, []],
    [
      "a second variable, where the first has a key of our own",
      { GEMINI_API_KEY: OWN_KEY, GOOGLE_API_KEY: "g" },
      [["gemini", "https://generativelanguage.googleapis.com/v1beta", ["g"]]],
    ],
  ];
  test.each(placed)("%s", (_, env, wanted) => {
    expect(found(env)).toEqual(wanted);
  });

  test.each([
    [{ AZURE_API_KEY: "a" }, [["azure", "AZURE_OPENAI_ENDPOINT"]]],
    [{ AZURE_API_KEY: "a", AZURE_OPENAI_ENDPOINT: azure }, []],
    [{ AZURE_API_KEY: OWN_KEY }, []],
    [{ AWS_BEARER_TOKEN_BEDROCK: "b" }, [["bedrock", "AWS_REGION"]]],
    [{ AWS_BEARER_TOKEN_BEDROCK: "b", AWS_DEFAULT_REGION: "us-east-1" }, []],
    [{ OPENAI_API_KEY: "o" }, []],
    [{}, []],
  ] as [Record<string, string>, string[][]][])("a credential in %j without a base URL is reported", (env, wanted) => {
    expect(withoutBaseUrl(env).map(({ id, variable }) => [id, variable])).toEqual(wanted);
  });

  test("rejects a base URL that would redirect a credential", () => {
    const region = { AWS_BEARER_TOKEN_BEDROCK: "b", AWS_REGION: "attacker.test/" };
    expect(() => discoverable(region)).toThrow("AWS_REGION must be a name such as us-east-1");
    const endpoint = { AZURE_OPENAI_API_KEY: "a", AZURE_OPENAI_ENDPOINT: "http://169.254.169.254" };
    expect(() => discoverable(endpoint)).toThrow("AZURE_OPENAI_ENDPOINT must be https://");
  });

  test("finds local servers without a credential", () => {
    const local = discoverable({}).map(({ id, allowPrivate, credentials }) => [id, allowPrivate, credentials.length]);
    expect(local).toEqual(["ollama", "lm-studio", "vllm", "llama-cpp"].map((id) => [id, true, 0]));
  });
});
