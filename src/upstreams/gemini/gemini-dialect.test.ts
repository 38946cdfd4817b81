import { expect, test } from "bun:test";
import { BETA, geminiAt } from "../../../test/dialects/gemini-call.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { geminiDialect } from "./gemini-dialect.ts";

test("requests the model list in one page", () => {
  const { path, headers } = geminiDialect.modelsRequest(geminiAt(BETA), new Secret("google-credential"));
  expect(path).toBe("/models?pageSize=1000");
  expect(headers).toEqual({ accept: "application/json", "user-agent": "tollgate", "x-goog-api-key": "google-credential" });
});

test("lists text models with their token limits", () => {
  const models = [
    {
      name: "models/gemini-3.5-flash",
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent"],
    },
    { name: "models/embedding-001", supportedGenerationMethods: ["embedContent"] },
    { name: "tunedModels/mine", inputTokenLimit: 0, supportedGenerationMethods: ["countTokens", "generateContent"] },
    { name: 7, supportedGenerationMethods: ["generateContent"] },
    { name: "models/mute" },
    null,
  ];
  const unknown = { ownedBy: undefined, createdSeconds: undefined };
  expect(geminiDialect.modelsIn(JSON.stringify({ models }))).toEqual([
    { id: "gemini-3.5-flash", ...unknown, contextWindow: 1_048_576, maxOutputTokens: 65_536 },
    { id: "tunedModels/mine", ...unknown, contextWindow: undefined, maxOutputTokens: undefined },
  ]);
});

test("rejects a response without a model list", () => {
  for (const text of ["{}", "[]", '{"data":[]}', "<html>"]) expect(() => geminiDialect.modelsIn(text)).toThrow();
});
