import { afterAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { googleError, startGoogleCloud } from "../clouds/google-cloud.ts";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { SCRIPTS } from "./anthropic-scripts.ts";
import { startAnthropicServer, type Script } from "./anthropic-server.ts";
import { describeAnthropicClients } from "./anthropic-suite.ts";
import { DATE, vertexPlace } from "./vertex-place.ts";

const QUOTA = "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model";

/** Google's own rejections, which `streamRawPredict` returns as a list. */
const ONLY_VERTEX: Readonly<Record<string, Script>> = {
  "claude-sonnet-4-5-busy": () => Response.json([{ error: { code: 429, message: QUOTA, status: "RESOURCE_EXHAUSTED" } }], { status: 429 }),
  "claude-sonnet-4-5-unlicensed": () =>
    googleError(400, "FAILED_PRECONDITION", "Project `acme-prod` is not allowed to use Publisher Model `claude-sonnet-4-5`"),
  "claude-sonnet-4-5-forbidden": () =>
    googleError(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource."),
  "claude-sonnet-4-5-strict": () => googleError(400, "INVALID_ARGUMENT", "max_tokens: must be positive"),
};
const ALL = { ...SCRIPTS, ...ONLY_VERTEX };

const cloud = startGoogleCloud();
const server = startAnthropicServer(ALL, vertexPlace(cloud));
const price = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
const models = Object.keys(ALL).map(
  (name) => `  - { id: ${name.split("-").at(-1)}, routes: [{ upstream: claude, model: "${name}${DATE}" }], price: ${price} }`,
);
const gateway = await startGateway({
  env: cloud.variables,
  yaml: `upstreams:
  - { id: claude, preset: vertex-claude, base_url: "${server.baseUrl}", allow_private: true, google: { project: acme-prod, location: global } }
models:
${models.join("\n")}
`,
});
const { key: apiKey } = await gateway.makeKey();
const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });

afterAll(async () => {
  await gateway.stop();
  await server.stop();
  await cloud.stop();
});

describeAnthropicClients({ server, gateway, apiKey, credential: "ya29." });

test.each([
  ["busy", { status: 503, code: "overloaded" }, "Quota exceeded"],
  ["unlicensed", { status: 502, code: "upstream_error" }, "not allowed to use Publisher Model"],
  ["forbidden", { status: 502, code: "upstream_error" }, "aiplatform.endpoints.predict"],
  ["strict", { status: 400, code: "invalid_value" }, undefined],
])("a refusal of Google's: %s", async (model, expected, logged) => {
  for (const stream of [false, true]) {
    const error = (await failureOf(
      openai.chat.completions.create({ model, messages: [{ role: "user", content: "Hello!" }], stream }),
    )) as Error;
    expect(error).toMatchObject(expected);
    if (logged === undefined) expect(error.message).toContain("max_tokens: must be positive");
    else await waitFor(() => gateway.output().includes(logged));
  }
});

test("one access token of the metadata server served all requests", () => {
  // The gateway may have requested another access token, if one arrived too late.
  expect(new Set(cloud.served)).toEqual(new Set(["metadata"]));
  expect(cloud.used.size).toBe(1);
});
