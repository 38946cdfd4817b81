import { afterAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureOf } from "../clients/failure-of.ts";
import { googleError, keyFile, startGoogleCloud } from "../clouds/google-cloud.ts";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { answerOf } from "./gemini-answers.ts";
import { SCRIPTS } from "./gemini-scripts.ts";
import { refuse, startGeminiServer, type Script } from "./gemini-server.ts";
import { describeGeminiClients } from "./gemini-suite.ts";

/** Arguments in fragments and the traffic type: only Vertex AI sends them. */
const ONLY_VERTEX: Readonly<Record<string, Script>> = {
  "gemini-3-fragments": () => [
    answerOf([{ functionCall: { name: "weather", partialArgs: [{ jsonPath: "$.city", stringValue: "Os" }], willContinue: true } }]),
    answerOf([{ functionCall: { partialArgs: [{ jsonPath: "$.city", stringValue: "lo" }], willContinue: true } }]),
    answerOf([{ functionCall: {} }], "STOP", { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, trafficType: "ON_DEMAND" } }),
  ],
  "gemini-3-forbidden": () => googleError(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource."),
  "gemini-3-unlicensed": () =>
    googleError(400, "FAILED_PRECONDITION", "Project `acme-prod` is not allowed to use Publisher Model `gemini-3-unlicensed`"),
};
const ALL = { ...SCRIPTS, ...ONLY_VERTEX };

const cloud = startGoogleCloud();
const google = startGeminiServer(ALL, {
  basePath: "/v1/projects/acme-prod/locations/europe-west4/publishers/google",
  refusalOf: (headers) =>
    cloud.accepts(headers.get("authorization")) && !headers.has("x-goog-api-key")
      ? undefined
      : refuse({ error: { code: 401, message: "Request had invalid authentication credentials.", status: "UNAUTHENTICATED" } }),
  hasCallIds: false,
});
/** Vertex AI's endpoint in the OpenAI format. */
const openapi = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const isRight = new URL(request.url).pathname === "/v1/projects/acme-prod/locations/global/endpoints/openapi/chat/completions";
    if (!isRight || !cloud.accepts(request.headers.get("authorization"))) return googleError(401, "UNAUTHENTICATED", "no");
    const choice = { index: 0, message: { role: "assistant", content: "Hello world" }, finish_reason: "stop" };
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    return Response.json({ id: "c", object: "chat.completion", created: 1, model: "google/gemini", choices: [choice], usage });
  },
});
const folder = mkdtempSync(join(tmpdir(), "tollgate-vertex-"));
const path = join(folder, "key.json");
writeFileSync(path, keyFile());
const place = `preset: vertex-gemini, base_url: "${google.baseUrl}", allow_private: true`;
const gateway = await startGateway({
  env: cloud.variables,
  yaml: `upstreams:
  - { id: google, ${place}, google: { credentials_file: "${path}" } }
  - { id: lost, ${place}, google: { credentials_file: "${path}.missing" } }
  - id: openapi
    preset: vertex
    base_url: http://127.0.0.1:${openapi.port}/v1/projects/acme-prod/locations/global/endpoints/openapi
    allow_private: true
    google: {}
models:
${Object.keys(ALL)
  .map((name) => `  - { id: ${name}, routes: [{ upstream: google, model: ${name} }], price: ${TEST_PRICE} }`)
  .join("\n")}
  - { id: openapi, routes: [{ upstream: openapi, model: google/gemini-3-text }], price: ${TEST_PRICE} }
  - { id: lost, routes: [{ upstream: lost, model: gemini-3-text }], price: ${TEST_PRICE} }
`,
});
const { key: apiKey } = await gateway.makeKey();
const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });
const messages = [{ role: "user" as const, content: "Hello!" }];

afterAll(async () => {
  await gateway.stop();
  await google.stop();
  await openapi.stop(true);
  await cloud.stop();
  rmSync(folder, { recursive: true });
});

describeGeminiClients({ google, gateway, apiKey, hasCallIds: false });

test("arguments in fragments are put together, as JSON and as a stream", async () => {
  const tools = [{ type: "function" as const, function: { name: "weather", parameters: { type: "object", properties: {} } } }];
  const whole = await openai.chat.completions.stream({ model: "gemini-3-fragments", messages, tools }).finalChatCompletion();
  expect(whole.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
  });
});

test.each(["gemini-3-forbidden", "gemini-3-unlicensed"])("%s is the operator's to fix, and the log says how", async (model) => {
  const error = (await failureOf(openai.chat.completions.create({ model, messages }))) as Error;
  expect(error).toMatchObject({ status: 502, code: "upstream_error" });
  expect(error.message).not.toMatch(/acme|aiplatform/);
  await waitFor(() => gateway.output().includes(model === "gemini-3-forbidden" ? "aiplatform.endpoints.predict" : "not allowed to use"));
});

test("without credentials the model is unavailable, and the log names the file", async () => {
  expect(await failureOf(openai.chat.completions.create({ model: "lost", messages }))).toMatchObject({
    status: 503,
    code: "no_upstream_available",
  });
  await waitFor(() => gateway.output().includes("key.json.missing does not exist"));
});

test("the endpoint in the OpenAI format takes the identity of the machine", async () => {
  const answer = await openai.chat.completions.create({ model: "openapi", messages });
  expect(answer.choices[0]?.message.content).toBe("Hello world");
});

test("each upstream had one access token for all of its requests, which is in no log", () => {
  expect(cloud.served.toSorted()).toEqual(["/token", "metadata"]);
  expect(gateway.output()).not.toContain("ya29.");
});
