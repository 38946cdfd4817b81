import { afterAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { SCRIPTS } from "./gemini-scripts.ts";
import { geminiConfig, startGeminiServer } from "./gemini-server.ts";
import { describeGeminiClients } from "./gemini-suite.ts";

const google = startGeminiServer(SCRIPTS);
const gateway = await startGateway({ yaml: geminiConfig(google.baseUrl, Object.keys(SCRIPTS)) });
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await google.stop();
});

describeGeminiClients({ google, gateway, apiKey, hasCallIds: true });

test("the operator's test of the upstream counts its models", async () => {
  const outcome = await gateway.platform("POST", "/api/upstreams/google/test");
  expect(outcome).toMatchObject({ ok: true, models: Object.keys(SCRIPTS).length });
});

test("a refused credential of ours is not the caller's, and its words stay in the log", async () => {
  const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });
  const error = (await failureOf(
    openai.chat.completions.create({ model: "locked", messages: [{ role: "user", content: "Hello!" }] }),
  )) as Error;
  expect(error).toMatchObject({ status: 502, code: "upstream_error" });
  expect(error.message).not.toContain("API key");
  await waitFor(() => gateway.output().includes("API key not valid"));
});
