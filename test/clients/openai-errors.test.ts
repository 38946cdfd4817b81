import { afterAll, describe, expect, test } from "bun:test";
import type { APIError, OpenAI as Client } from "openai";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { createCountedFetch } from "./counted-fetch.ts";
import { failureOf } from "./failure-of.ts";
import { OPENAI_PACKAGES } from "./openai-packages.ts";

const MAX_BODY_BYTES = 65_536;

let busyCalls = 0;

const upstream = startMockUpstream({
  "up-chat": () => Response.json(completion()),
  "up-narrow": () => refuse(400, { message: "This model's maximum context length is 8 tokens.", code: "context_length_exceeded" }),
  "up-greedy": () => refuse(429, { message: "Request too large for this model.", code: "rate_limit_exceeded" }),
  "up-locked": () => refuse(401, { message: "Incorrect API key provided.", code: "invalid_api_key" }),
  "up-busy": () => refuse(503, { message: "busy" }, { "retry-after": "1" }),
  "up-busy-twice": () => {
    // Fails twice, because the gateway itself retries before it asks the client to retry.
    return ++busyCalls % 3 > 0 ? refuse(503, { message: "busy" }, { "retry-after": "1" }) : Response.json(completion());
  },
  "up-missing": () => refuse(404, { message: "The model does not exist.", code: "model_not_found" }),
  "up-text": () => refuse(500, { message: "image input is not supported", type: "server_error" }),
  "up-late": () => refuse(504, { message: "too late" }),
});
const gateway = await startGateway({
  yaml: configFor(upstream.baseUrl, ["chat", "narrow", "greedy", "locked", "busy", "busy-twice", "late", "missing", "text"]),
  env: { TOLLGATE_MAX_BODY_BYTES: String(MAX_BODY_BYTES) },
});
const { key: apiKey } = await gateway.makeKey();
const { key: keyForChat } = await gateway.makeKey(["chat"]);

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function refuse(status: number, error: object, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { type: "mock_error", param: null, code: null, ...error } }, { status, headers });
}

const HELLO = { model: "chat", messages: [{ role: "user", content: "Hello!" }] } satisfies Client.ChatCompletionCreateParams;

function ask(client: Client, changes: object): PromiseLike<unknown> {
  return client.chat.completions.create({ ...HELLO, ...changes });
}

interface Refusal {
  readonly when: string;
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  readonly errorClass: keyof typeof Client & `${string}Error`;
  readonly call: (client: Client) => PromiseLike<unknown>;
}

/** Errors that a client must not retry: nothing would change, or, after a timeout, the work would be paid for twice. */
const PERMANENT: Refusal[] = [
  {
    when: "an unknown role",
    status: 400,
    code: "invalid_value",
    param: "messages[0].role",
    errorClass: "BadRequestError",
    call: (client) => ask(client, { messages: [{ role: "wizard", content: "Hello!" }] }),
  },
  {
    when: "a request without messages",
    status: 400,
    code: "missing_required_parameter",
    param: "messages",
    errorClass: "BadRequestError",
    call: (client) => ask(client, { messages: undefined }),
  },
  {
    when: "a prompt that the upstream finds too long",
    status: 400,
    code: "context_length_exceeded",
    errorClass: "BadRequestError",
    call: (client) => ask(client, { model: "narrow" }),
  },
  {
    when: "a wrong key",
    status: 401,
    code: "invalid_api_key",
    errorClass: "AuthenticationError",
    call: (client) => ask(client.withOptions({ apiKey: "sk-service-wrong" }), {}),
  },
  {
    when: "a model that the key may not call",
    status: 403,
    code: "model_not_allowed",
    param: "model",
    errorClass: "PermissionDeniedError",
    call: (client) => ask(client.withOptions({ apiKey: keyForChat }), { model: "busy" }),
  },
  {
    when: "a model that does not exist",
    status: 403,
    code: "model_not_allowed",
    param: "model",
    errorClass: "PermissionDeniedError",
    call: (client) => ask(client, { model: "nothing" }),
  },
  {
    when: "an endpoint that does not exist",
    status: 404,
    code: "unknown_url",
    errorClass: "NotFoundError",
    call: (client) => client.responses.create({ model: "chat", input: "Hello!" }),
  },
  {
    when: "a wrong method",
    status: 405,
    code: "method_not_allowed",
    errorClass: "APIError",
    call: (client) => client.get("/chat/completions"),
  },
  {
    when: "a body over the limit",
    status: 413,
    code: "request_too_large",
    errorClass: "APIError",
    call: (client) => ask(client, { messages: [{ role: "user", content: "x".repeat(MAX_BODY_BYTES) }] }),
  },
  {
    when: "a body that is not called JSON",
    status: 415,
    code: "unsupported_media_type",
    errorClass: "APIError",
    call: (client) => client.post("/chat/completions", { body: HELLO, headers: { "content-type": "text/plain" } }),
  },
  {
    when: "a request above the upstream's whole window",
    status: 429,
    code: "rate_limit_exceeded",
    errorClass: "RateLimitError",
    call: (client) => ask(client, { model: "greedy" }),
  },
  {
    when: "an input that the upstream's model does not support",
    status: 400,
    code: "invalid_value",
    errorClass: "BadRequestError",
    call: (client) => ask(client, { model: "text" }),
  },
  {
    when: "a credential that the upstream refuses",
    status: 502,
    code: "upstream_error",
    errorClass: "InternalServerError",
    call: (client) => ask(client, { model: "locked" }),
  },
  {
    when: "a model that the upstream does not know",
    status: 502,
    code: "upstream_error",
    errorClass: "InternalServerError",
    call: (client) => ask(client, { model: "missing" }),
  },
  {
    when: "an upstream's timeout",
    status: 504,
    code: "upstream_timeout",
    errorClass: "InternalServerError",
    call: (client) => ask(client, { model: "late" }),
  },
];

for (const { name, OpenAI } of OPENAI_PACKAGES) {
  describe(name, () => {
    const countedFetch = createCountedFetch();
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey, fetch: countedFetch });
    const impatient = client.withOptions({ maxRetries: 0 });

    async function errorOf(call: PromiseLike<unknown>): Promise<APIError> {
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(OpenAI.APIError);
      return error as APIError;
    }

    for (const { when, status, code, param = null, errorClass, call } of PERMANENT) {
      test(`${when} raises ${errorClass} with status ${status}, and is not tried again`, async () => {
        countedFetch.sent = 0;
        const error = await errorOf(call(client));
        expect(error.constructor).toBe(OpenAI[errorClass]);
        expect({ status: error.status, code: error.code, param: error.param }).toEqual({ status, code, param });
        expect(countedFetch.sent).toBe(1);
      });
    }

    test("an upstream that refuses our credential is the gateway's trouble, not the caller's", async () => {
      const error = await errorOf(ask(impatient, { model: "locked" }));
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect({ status: error.status, code: error.code }).toEqual({ status: 502, code: "upstream_error" });
      expect(error.message).not.toContain("API key");
    });

    test("a busy upstream raises InternalServerError and says when to try again", async () => {
      const error = await errorOf(ask(impatient, { model: "busy" }));
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect({ status: error.status, code: error.code }).toEqual({ status: 503, code: "overloaded" });
      expect(error.headers?.get("retry-after")).toBe("1");
    });

    test("a request that met a busy upstream is tried again by itself", async () => {
      countedFetch.sent = 0;
      const answer = await client.chat.completions.create({ ...HELLO, model: "busy-twice" });
      expect(answer.choices[0]?.message.content).toBe("Hello world");
      expect(countedFetch.sent).toBe(2);
    });

    test("an error carries the request id under which the log knows it", async () => {
      const error = await errorOf(ask(client, { model: "nothing" }));
      expect(error.requestID).toMatch(/^req_/);
      expect(error.requestID).toBe(error.headers?.get("x-request-id"));
      const line = await waitFor(() => gateway.logLines().find((each) => each["request_id"] === error.requestID));
      expect(line).toMatchObject({ status: 403, code: "model_not_allowed" });
    });
  });
}
