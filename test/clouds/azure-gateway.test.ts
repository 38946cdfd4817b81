import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { streamText } from "ai";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI, { AzureOpenAI } from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { OPENAI_PACKAGES } from "../clients/openai-packages.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, events, GOOD_CHUNKS } from "../support/upstreams/mock-upstream.ts";
import { AzureCloud, TENANT } from "./azure-cloud.ts";
import { startAzureMetadata, startAzureOpenAI, startEntra } from "./azure-servers.ts";

const CLIENT = "22222222-0000-0000-0000-000000000001";
const SECRET = "the-secret-of-the-client";
const VERSION = "2025-04-01-preview";
const MESSAGES = [{ role: "user" as const, content: "Hello" }];

const SAFE = { hate: { filtered: false, severity: "safe" }, jailbreak: { filtered: false, detected: false } };
const BAD = { violence: { filtered: true, severity: "medium" }, jailbreak: { filtered: false, detected: false } };
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: SAFE }];
const NO_HEAD = { id: "", object: "", created: 0, model: "" };
const LATE = {
  index: 0,
  finish_reason: null,
  content_filter_results: SAFE,
  content_filter_offsets: { check_offset: 5, start_offset: 5, end_offset: 10 },
};

/**
 * The stream of Azure: first the filter results of the prompt, then results with each text, and the results of the asynchronous filter
 * after the end.
 */
const STREAM = [
  JSON.stringify({ ...NO_HEAD, choices: [], prompt_filter_results: PROMPT_RESULTS }),
  ...GOOD_CHUNKS.map((event) => event.replace('"delta":{"content"', `"content_filter_results":${JSON.stringify(SAFE)},"delta":{"content"`)),
].flatMap((event) => (event.includes('"finish_reason":"stop"') ? [event, JSON.stringify({ ...NO_HEAD, choices: [LATE] })] : [event]));

function complete(): object {
  const { choices, ...rest } = completion() as { choices: object[] };
  return {
    ...rest,
    choices: choices.map((choice) => ({ ...choice, content_filter_results: SAFE })),
    prompt_filter_results: PROMPT_RESULTS,
  };
}

const REJECTED = {
  error: {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: BAD },
  },
};

const cloud = new AzureCloud();
cloud.add({ clientId: CLIENT, secret: SECRET });
const entra = startEntra(cloud);
const metadata = startAzureMetadata(cloud, []);
const azure = startAzureOpenAI(cloud, ({ stream, messages }) => {
  if (JSON.stringify(messages).includes("violence")) return Response.json(REJECTED, { status: 400 });
  return stream === true ? events(STREAM) : Response.json(complete());
});

const v1 = `preset: azure, base_url: "${azure.url}/openai/v1", allow_private: true`;
const deployments = `preset: azure-deployments, base_url: "${azure.url}/openai", allow_private: true`;
const client = `tenant_id: ${TENANT}, client_id: ${CLIENT}`;
const gateway = await startGateway({
  yaml: `upstreams:
  - { id: by-secret, ${v1}, azure: { ${client}, client_secret: ${SECRET} } }
  - { id: by-machine, ${deployments}, api_version: ${VERSION}, azure: {} }
  - { id: by-wrong-secret, ${v1}, azure: { ${client}, client_secret: a-wrong-secret } }
models:
  - { id: by-secret, routes: [{ upstream: by-secret, model: gpt }], free: true }
  - { id: by-machine, routes: [{ upstream: by-machine, model: my gpt }], free: true }
  - { id: by-wrong-secret, routes: [{ upstream: by-wrong-secret, model: gpt }], free: true }
`,
  env: { AZURE_AUTHORITY_HOST: entra.url, AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url },
});
const { key: apiKey } = await gateway.makeKey();

beforeEach(() => {
  azure.seen.length = 0;
});

afterAll(async () => {
  await gateway.stop();
  for (const server of [entra, metadata, azure]) await server[Symbol.asyncDispose]();
});

for (const { name, OpenAI: Client } of OPENAI_PACKAGES) {
  describe(name, () => {
    const openai = new Client({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });

    test.each(["by-secret", "by-machine"])("%s: a completion has its content filter results", async (model) => {
      const answer = await openai.chat.completions.create({ model, messages: MESSAGES });
      expect(answer).toMatchObject({ model, prompt_filter_results: PROMPT_RESULTS, choices: [{ content_filter_results: SAFE }] });
    });

    test.each(["by-secret", "by-machine"])("%s: a stream has them on chunks with choices, and the helper reads it", async (model) => {
      const chunks = await Array.fromAsync(await openai.chat.completions.create({ model, messages: MESSAGES, stream: true }));
      expect(chunks.every(({ choices, id }) => choices.length === 1 && id === chunks[0]!.id)).toBe(true);
      const results = chunks.map((chunk) => (chunk as { prompt_filter_results?: unknown }).prompt_filter_results);
      expect(results).toEqual([PROMPT_RESULTS, ...chunks.slice(1).map(() => undefined)]);
      expect(chunks.at(-1)).toMatchObject({ choices: [{ ...LATE, delta: {} }] });
      const helped = await openai.chat.completions.stream({ model, messages: MESSAGES }).finalChatCompletion();
      expect(helped.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Hello world" } });
    });

    test("a rejected prompt has the findings of the filter", async () => {
      const rejected = openai.chat.completions.create({ model: "by-secret", messages: [{ role: "user", content: "violence" }] });
      const failure = await failureOf(rejected);
      expect(failure).toMatchObject({ status: 400, code: "content_policy_violation", param: "prompt" });
      expect((failure as InstanceType<typeof OpenAI.APIError>).error).toMatchObject({ innererror: REJECTED.error.innererror });
    });
  });
}

test("the AI SDK and LangChain read a stream with content filter results", async () => {
  const provider = createOpenAICompatible({ name: "tollgate", baseURL: gateway.baseUrl, apiKey });
  const result = streamText({ model: provider("by-secret"), prompt: "Hello", maxRetries: 0 });
  expect([await result.text, await result.finishReason]).toEqual(["Hello world", "stop"]);
  const langchain = new ChatOpenAI({ model: "by-secret", apiKey, maxRetries: 0, configuration: { baseURL: gateway.baseUrl } });
  const chunks = await Array.fromAsync(await langchain.stream("Hello"));
  const whole = chunks.reduce((before, chunk) => before.concat(chunk));
  expect([whole.text, whole.response_metadata["finish_reason"]]).toEqual(["Hello world", "stop"]);
});

test("Azure receives the same request as from its own client, and callers the same answer", async () => {
  const { token } = cloud.issue("client");
  const own = new AzureOpenAI({ endpoint: azure.url, apiVersion: VERSION, azureADTokenProvider: () => Promise.resolve(token) });
  const through = new OpenAI({ baseURL: gateway.baseUrl, apiKey });
  const direct = await own.chat.completions.create({ model: "my gpt", messages: MESSAGES });
  const routed = await through.chat.completions.create({ model: "by-machine", messages: MESSAGES });
  expect({ ...routed, model: direct.model }).toEqual(direct);
  const [first, second] = azure.seen.map((request) => ({ ...request, headers: { ...request.headers, authorization: "Bearer" } }));
  expect(second).toEqual(first);
  expect(azure.seen[1]!.headers).toMatchObject({ "api-key": null, authorization: expect.stringMatching(/^Bearer eyJ/) });
});

test("without an access token, callers receive 503, and the log says why without the secret", async () => {
  const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });
  const failure = await failureOf(openai.chat.completions.create({ model: "by-wrong-secret", messages: MESSAGES }));
  expect(failure).toMatchObject({ status: 503, code: "no_upstream_available" });
  await eventually(
    () => gateway.output(),
    (output) => output.includes("AADSTS7000215"),
  );
  expect(gateway.output()).not.toContain("a-wrong-secret");
  expect(azure.seen).toEqual([]);
});
