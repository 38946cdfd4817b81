import { KEY, HELLO, post, raw, type RawKind } from "../kind.ts";

const PLAIN = JSON.stringify({ model: "chat", messages: HELLO });
const JSON_TYPE = { "content-type": "application/json" };
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const sized = (megabytes: number): string =>
  JSON.stringify({ model: "chat", messages: [{ role: "user", content: "x".repeat(megabytes * 1e6) }] });

/** Requests that an SDK never sends by itself: bodies, headers and paths. */
export const HTTP: readonly RawKind[] = [
  post("an empty body", undefined),
  post("invalid JSON", '{"model": "chat",'),
  post("JSON that is a list", "[]"),
  post("no model", JSON.stringify({ messages: HELLO })),
  post("messages missing", JSON.stringify({ model: "chat" })),
  post("messages that are a text", JSON.stringify({ model: "chat", messages: "Hello!" })),
  post("stream as a string", JSON.stringify({ model: "chat", messages: HELLO, stream: "true" })),
  post("a field twice", `{"model":"chat","temperature":0.1,"temperature":0.2,"messages":${JSON.stringify(HELLO)}}`),
  post("a body of 2 MB", sized(2)),
  post("a body of 25 MB", sized(25)),
  post("no content type", bytes(PLAIN), { headers: { authorization: `Bearer ${KEY}` } }),
  post("text/plain", PLAIN, { headers: { authorization: `Bearer ${KEY}`, "content-type": "text/plain" } }),
  post("a charset", PLAIN, { headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json; charset=utf-8" } }),
  post("no key", PLAIN, { headers: JSON_TYPE }),
  post("a wrong key", PLAIN, { headers: { ...JSON_TYPE, authorization: "Bearer sk-wrong" } }),
  post("a key without Bearer", PLAIN, { headers: { ...JSON_TYPE, authorization: KEY } }),
  post("the key in api-key", PLAIN, { headers: { ...JSON_TYPE, "api-key": KEY } }),
  post("the key in x-api-key", PLAIN, { headers: { ...JSON_TYPE, "x-api-key": KEY } }),
  post("the key in x-litellm-api-key", PLAIN, { headers: { ...JSON_TYPE, "x-litellm-api-key": `Bearer ${KEY}` } }),
  post("a path without /v1", PLAIN, { path: "/chat/completions" }),
  post("a path of Azure", PLAIN, { path: "/openai/deployments/chat/chat/completions?api-version=2024-10-21" }),
  post("a path of engines", PLAIN, { path: "/engines/chat/chat/completions" }),
  post("a slash at the end", PLAIN, { path: "/v1/chat/completions/" }),
  post("headers of a response", PLAIN, { comparesHeaders: true }),
  post("headers of a stream", JSON.stringify({ model: "chat", messages: HELLO, stream: true }), { comparesHeaders: true }),
  post("headers of a failure", JSON.stringify({ model: "status-429-wait", messages: HELLO }), { comparesHeaders: true }),
  post("headers of a timeout", JSON.stringify({ model: "silent", messages: HELLO, timeout: 1 }), { comparesHeaders: true }),
  raw("GET at chat completions", "GET", "/v1/chat/completions"),
  raw("GET /v1/models", "GET", "/v1/models"),
  raw("GET /v1/models without a key", "GET", "/v1/models", { headers: {} }),
  raw("GET /v1/models/ID", "GET", "/v1/models/chat"),
  raw("GET /v1/models/ID of an unknown model", "GET", "/v1/models/no-such-model"),
  raw("GET /models", "GET", "/models"),
  raw("GET /v1/model/info", "GET", "/v1/model/info"),
  raw("GET /health/liveliness", "GET", "/health/liveliness"),
  raw("GET /health/liveness", "GET", "/health/liveness"),
  raw("GET /health/readiness", "GET", "/health/readiness"),
  raw("GET /", "GET", "/"),
  raw("an unknown path", "GET", "/v1/nothing"),
  raw("a preflight of a browser", "OPTIONS", "/v1/chat/completions", {
    headers: { origin: "https://app.example", "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
  }),
  post("POST /v1/completions", JSON.stringify({ model: "chat", prompt: "Hello!" }), { path: "/v1/completions" }),
  post("POST /v1/embeddings", JSON.stringify({ model: "chat", input: "Hello!" }), { path: "/v1/embeddings" }),
  post("POST /v1/responses", JSON.stringify({ model: "chat", input: "Hello!" }), { path: "/v1/responses" }),
  post("POST /v1/messages", JSON.stringify({ model: "chat", max_tokens: 20, messages: HELLO }), { path: "/v1/messages" }),
];
