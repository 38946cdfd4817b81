/**
 * Programs that use generated clients, as text: their imports exist only after the clients were generated. Each exports the same function.
 */

/** The result of such a program: a key that it created, the names of all keys, the IDs of models, and a model's response. */
export interface ProgramCall {
  readonly key: string;
  readonly keys: readonly string[];
  readonly models: readonly string[];
  readonly text: string | null;
}

/** Uses the types of openapi-typescript. */
export const WITH_OPENAPI_FETCH = `
import createClient from "openapi-fetch";
import type { paths as GatewayPaths } from "./gateway-paths.ts";
import type { paths as PlatformPaths } from "./platform-paths.ts";

export async function call(token: string, gatewayUrl: string, platformUrl: string) {
  const platform = createClient<PlatformPaths>({ baseUrl: platformUrl, headers: { authorization: \`Bearer \${token}\` } });
  const made = await platform.POST("/api/keys", { body: { name: "openapi-fetch", models: ["*"], limits: { requests_per_minute: 60 } } });
  if (made.error) throw new Error(made.error.detail);
  const key = made.data.key ?? "";
  const listed = await platform.GET("/api/keys", { params: { query: { limit: 10 } } });
  if (listed.error) throw new Error(listed.error.detail);

  const gateway = createClient<GatewayPaths>({ baseUrl: gatewayUrl, headers: { authorization: \`Bearer \${key}\` } });
  const models = await gateway.GET("/models", {});
  if (models.error) throw new Error(models.error.error.message);
  const ids = models.data.data.map(({ id }) => id);
  const body = { model: ids[0] ?? "", messages: [{ role: "user" as const, content: "Hi" }], stream: false };
  const completion = await gateway.POST("/chat/completions", { body });
  if (completion.error) throw new Error(completion.error.error.message);
  const answer = completion.data;
  const text = "choices" in answer && answer.object === "chat.completion" ? (answer.choices[0]?.message.content ?? null) : null;
  return { key, keys: listed.data.data.map(({ name }) => name), models: ids, text };
}
`;

/** Uses the functions of oazapfts, which have the URLs of the documents. */
export const WITH_FUNCTIONS = `
import * as gateway from "./gateway-functions.ts";
import * as platform from "./platform-functions.ts";

export async function call(token: string) {
  platform.defaults.headers = { authorization: \`Bearer \${token}\` };
  const made = await platform.createKey({ name: "functions", models: ["*"], limits: { requests_per_minute: 60 } });
  if (made.status !== 201) throw new Error(made.status === 200 ? "made before" : made.data.detail);
  const key = made.data.key ?? "";
  const listed = await platform.listKeys({ limit: 10 });
  if (listed.status !== 200) throw new Error(listed.data.detail);

  gateway.defaults.headers = { authorization: \`Bearer \${key}\` };
  const models = await gateway.listModels();
  if (models.status !== 200) throw new Error(models.data.error.message);
  const ids = models.data.data.map(({ id }) => id);
  const completion = await gateway.createChatCompletion({ model: ids[0] ?? "", messages: [{ role: "user", content: "Hi" }] });
  if (completion.status !== 200) throw new Error(completion.data.error.message);
  const { prompt_tokens: promptTokens } = completion.data.usage;
  const text = promptTokens > 0 ? (completion.data.choices[0]?.message.content ?? null) : null;
  return { key, keys: listed.data.data.map(({ name }) => name), models: ids, text };
}
`;
