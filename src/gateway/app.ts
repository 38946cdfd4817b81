import type { Endpoint, ReplyContract, ReplyHeaders, Exchange } from "../http/endpoint.ts";
import { embeddingsRequestSchema, embeddingsResponseSchema } from "../requests/embeddings-api.ts";
import { errorHeaders } from "../http/reply-headers.ts";
import { chunkSchema, completionSchema } from "../requests/chat-completion.ts";
import {
  CHAT_REQUEST_HEADERS,
  COUNT_REQUEST_HEADERS,
  DRY_RUN_TYPE,
  LIST_REQUEST_HEADERS,
  MESSAGES_REQUEST_HEADERS,
  RESPONSES_REQUEST_HEADERS,
} from "../requests/chat-headers.ts";
import {
  COMPLETION_HEADERS,
  LIMIT_HEADERS,
  MESSAGES_HEADERS,
  REMAINING_HEADERS,
  RESPONSES_HEADERS,
  ROUTE_HEADERS,
} from "../requests/chat-reply-headers.ts";
import { chatRequestSchema } from "../requests/chat-request.ts";
import { ApiError, errorBodySchema } from "../requests/api-error.ts";
import { messageEventSchema, messageReplySchema, messagesErrorSchema } from "../requests/messages-api.ts";
import { responseEventSchema, responseSchema } from "../requests/responses-api.ts";
import type { Schema } from "../lib/schema/schema.ts";
import { countTokens, CountLimits, tokenCountSchema } from "./count-tokens.ts";
import { countTokensRequestSchema, messagesRequestSchema } from "./formats/messages/messages-request.ts";
import type { CallerFormat } from "./formats/caller-format.ts";
import { chatFormat } from "./formats/chat-format.ts";
import { cursorFormat } from "./formats/cursor-format.ts";
import { countTokensFormat, messagesFormat } from "./formats/messages/messages-format.ts";
import { responsesFormat } from "./formats/responses/responses-format.ts";
import { responsesRequestSchema } from "./formats/responses/responses-request.ts";
import { embeddingsFormat } from "./formats/embeddings-format.ts";
import { dryRunSchema } from "./dry-run/dry-run-schema.ts";
import type { Gateway } from "./gateway.ts";
import { listAnthropicModels, listModels, modelListSchema, showModel } from "./model-list.ts";
import { serveModelRequest } from "./serve-model-request.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import { OPTIONAL_ENDPOINTS, type OptionalEndpoint } from "../money/attribution.ts";

/** Statuses that a request to any endpoint may receive. */
const COMMON_ERRORS: Readonly<Record<number, string>> = {
  400: "The request is not valid; `param` names the field.",
  401: "No valid key.",
  404: "There is no such endpoint: the base URL or the path is wrong.",
  405: "The path does not support this method; `Allow` lists the supported ones.",
  413: "The request is too large.",
  500: "The gateway failed.",
  503: "Nothing can serve this at the moment; `Retry-After` says when to retry.",
};

const CHAT_ERRORS: Readonly<Record<number, string>> = {
  ...COMMON_ERRORS,
  402: "Not enough credit, or a spend cap is reached. With `Retry-After` if requests in flight hold the missing amount.",
  403: "The key may not call this model.",
  415: "The request body is not JSON.",
  429: "A rate limit is exceeded; `Retry-After` says when to retry.",
  502: "The upstream failed.",
  504: "The upstream took too long.",
};

const LIST_ERRORS: Readonly<Record<number, string>> = {
  ...COMMON_ERRORS,
  429: "With `x-usage: 1`, too many usage reports per minute; or too many keys from this address that are not valid. `Retry-After` says when to retry.",
};

const MESSAGES_ERRORS: Readonly<Record<number, string>> = {
  400: "The request is not valid. An upstream's own rejection is passed on unchanged, unless it names the operator's account.",
  401: "No valid key, or two different keys.",
  402: "Not enough credit, or a spend cap is reached.",
  404: "The key may not call this model, or there is no such model.",
  405: "The path does not support this method; `Allow` lists the supported ones.",
  413: "The request is too large.",
  415: "The request body is not JSON.",
  429: "A rate limit is exceeded, or requests in flight hold the missing credit; `Retry-After` says when to retry.",
  500: "The gateway failed.",
  502: "The upstream failed.",
  503: "The gateway has too many connections; `Retry-After` says when to retry.",
  504: "The upstream took too long.",
  529: "Nothing can serve this at the moment; `Retry-After` says when to retry.",
};

const MESSAGES_STREAM =
  "A stream ends with `message_stop`. A stream that fails after its first byte ends with an `error` event. `ping` events keep the connection open.";

const RESPONSES_ERRORS: Readonly<Record<number, string>> = {
  ...COMMON_ERRORS,
  400: "The request is not valid. An upstream's own rejection is passed on unchanged, unless it names the operator's account.",
  403: CHAT_ERRORS[403]!,
  415: CHAT_ERRORS[415]!,
  429: "A rate limit is exceeded, and `Retry-After` says when to retry; or there is not enough credit, or a spend cap is reached, with the type `insufficient_quota`.",
  503: "Nothing can serve this at the moment, or requests in flight hold the missing credit; `Retry-After` says when to retry.",
  502: CHAT_ERRORS[502]!,
  504: CHAT_ERRORS[504]!,
};

const RESPONSES_STREAM =
  "A stream ends with `response.completed` or `response.incomplete`; a stream that fails after its first byte, with `response.failed`. `keepalive` events keep the connection open.";

const STREAM =
  "A stream has an event for each chunk and ends with `data: [DONE]`. A stream that fails after its first byte ends with an event that has the error, and without `[DONE]`. Comments keep the connection open.";

/** Everything that model-calling clients can reach. */
export function gatewayEndpoints(gateway: Gateway): Endpoint[] {
  return [
    {
      method: "POST",
      path: chatFormat.path,
      contract: {
        operationId: "createChatCompletion",
        summary: "Creates a chat completion.",
        request: chatRequestSchema,
        requestHeaders: CHAT_REQUEST_HEADERS,
        replies: {
          200: {
            description: `The completion, or with \`stream: true\` a stream of its chunks; with \`x-dry-run: 1\` a report of what would happen. ${STREAM}`,
            headers: COMPLETION_HEADERS,
            json: completionSchema,
            events: { oneOf: [chunkSchema, errorBodySchema] },
            others: { [DRY_RUN_TYPE]: dryRunSchema },
          },
          ...errorReplies(CHAT_ERRORS, { ...LIMIT_HEADERS, ...ROUTE_HEADERS, ...REMAINING_HEADERS }),
        },
      },
      handle: (exchange) => serveModelRequest(chatFormatOf(gateway), exchange, gateway),
    },
    {
      method: "GET",
      path: "/v1/models",
      contract: {
        operationId: "listModels",
        summary: "Lists the models the calling key is allowed to call.",
        requestHeaders: LIST_REQUEST_HEADERS,
        replies: {
          200: { description: "The models.", headers: LIMIT_HEADERS, json: modelListSchema },
          ...errorReplies(LIST_ERRORS, LIMIT_HEADERS),
        },
      },
      handle: modelsForAnyClient(gateway),
    },
    ...gatewayProbes(gateway),
  ];
}

function chatFormatOf({ catalog }: Gateway): CallerFormat {
  return catalog.endpoints().has("responses") ? cursorFormat : chatFormat;
}

/** Clients of Anthropic send the version of its API, and their key in another header. */
function modelsForAnyClient(gateway: Gateway): Endpoint["handle"] {
  const own = forAnthropicClients(gateway);
  return (exchange) => {
    const isForAnthropic = gateway.catalog.endpoints().has("messages") && exchange.request.headers.get("anthropic-version") !== null;
    return isForAnthropic ? listAnthropicModels(exchange, own) : listModels(exchange, gateway);
  };
}

function forAnthropicClients(gateway: Gateway): Gateway {
  return { ...gateway, otherKeyHeaders: ["x-api-key"], refusesSecondKey: true };
}

/** The probes of load balancers. They need no key. */
export function gatewayProbes(gateway: Gateway): Endpoint[] {
  return [
    { method: "GET", path: "/healthz", isProbe: true, handle: () => Reply.json({ status: "ok" }) },
    { method: "GET", path: "/readyz", isProbe: true, handle: (exchange) => showReadiness(exchange, gateway) },
  ];
}

/** Statuses of requests without a valid key: their replies have no rate-limit headers. */
const WITHOUT_KEY: ReadonlySet<number> = new Set([401, 404, 405]);

function messagesErrorReplies(): Record<number, ReplyContract> {
  const replies = errorReplies(MESSAGES_ERRORS, { ...LIMIT_HEADERS, ...ROUTE_HEADERS, ...REMAINING_HEADERS }, messagesErrorSchema);
  const named = Object.entries(replies).map(([status, reply]) => [
    status,
    { ...reply, headers: { ...reply.headers, ...MESSAGES_HEADERS } },
  ]);
  return Object.fromEntries(named) as Record<number, ReplyContract>;
}

function errorReplies(
  descriptions: Readonly<Record<number, string>>,
  headers: ReplyHeaders,
  schema: Schema = errorBodySchema,
): Record<number, ReplyContract> {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => {
      const status = Number(name);
      const all = { ...(!WITHOUT_KEY.has(status) && headers), ...errorHeaders(status) };
      return [status, { description, headers: all, json: schema }];
    }),
  );
}

/** Readiness probe for load balancers. Checks for draining first, so that the ledger is not probed while it closes. */
function showReadiness({ notes }: Exchange, { isDraining, isStarting, ledgerFailure }: Gateway): Reply {
  if (isDraining()) return unready({ reason: "draining" });
  if (isStarting?.()) return unready({ reason: "starting" });
  const trouble = ledgerFailure();
  if (trouble === undefined) return Reply.json({ status: "ready" });
  notes.detail = `the ledger cannot be written: ${trouble}`;
  return unready({ reason: "ledger_unavailable", detail: trouble });
}

function unready(state: { reason: "draining" | "starting" | "ledger_unavailable"; detail?: string }): Reply {
  return Reply.json({ status: "unready", ...state }, { status: 503, headers: { "cache-control": "no-store" } });
}

/** Anthropic's Messages API. Its clients send the key in either of two headers. */
export function messagesEndpoints(gateway: Gateway): Endpoint[] {
  const own = forAnthropicClients(gateway);
  const limits = new CountLimits(() => gateway.monotonicMs());
  return [
    {
      method: "POST",
      path: messagesFormat.path,
      errorFormat: messagesFormat.errors,
      contract: {
        operationId: "createMessage",
        summary: "Creates a message, in the format of Anthropic's Messages API.",
        request: messagesRequestSchema,
        requestHeaders: MESSAGES_REQUEST_HEADERS,
        replies: {
          200: {
            description: `The message, or with \`stream: true\` a stream of its events; with \`x-dry-run: 1\` a report of what would happen. ${MESSAGES_STREAM}`,
            headers: { ...COMPLETION_HEADERS, ...MESSAGES_HEADERS },
            json: messageReplySchema,
            events: messageEventSchema,
            others: { [DRY_RUN_TYPE]: dryRunSchema },
          },
          ...messagesErrorReplies(),
        },
      },
      handle: (exchange) => serveModelRequest(messagesFormat, exchange, own),
    },
    {
      method: "POST",
      path: countTokensFormat.path,
      errorFormat: messagesFormat.errors,
      contract: {
        operationId: "countMessageTokens",
        summary: "Counts the tokens of a prompt, in the format of Anthropic's Messages API. Free of charge.",
        request: countTokensRequestSchema,
        requestHeaders: COUNT_REQUEST_HEADERS,
        replies: {
          200: { description: "The count.", headers: { ...LIMIT_HEADERS, ...MESSAGES_HEADERS }, json: tokenCountSchema },
          ...messagesErrorReplies(),
        },
      },
      handle: (exchange) => countTokens(exchange, own, limits),
    },
  ];
}

/** OpenAI's Responses API. */
export function responsesEndpoints(gateway: Gateway): Endpoint[] {
  return [
    {
      method: "POST",
      path: responsesFormat.path,
      errorFormat: responsesFormat.errors,
      contract: {
        operationId: "createResponse",
        summary: "Creates a response, in the format of OpenAI's Responses API.",
        request: responsesRequestSchema,
        requestHeaders: RESPONSES_REQUEST_HEADERS,
        replies: {
          200: {
            description: `The response, or with \`stream: true\` a stream of its events; with \`x-dry-run: 1\` a report of what would happen. ${RESPONSES_STREAM}`,
            headers: { ...COMPLETION_HEADERS, ...RESPONSES_HEADERS },
            json: responseSchema,
            events: responseEventSchema,
            others: { [DRY_RUN_TYPE]: dryRunSchema },
          },
          ...errorReplies(RESPONSES_ERRORS, { ...LIMIT_HEADERS, ...ROUTE_HEADERS, ...REMAINING_HEADERS }),
        },
      },
      handle: (exchange) => serveModelRequest(responsesFormat, exchange, gateway),
    },
    { method: "GET", path: responsesFormat.path, errorFormat: responsesFormat.errors, handle: refuseWebSocket },
  ];
}

/** Codex asks for a WebSocket by GET. */
function refuseWebSocket({ request }: Exchange): never {
  const isUpgrade = request.headers.get("upgrade") !== null;
  const message = isUpgrade ? "This gateway serves no WebSocket: use POST." : `${responsesFormat.path} does not take GET, only POST.`;
  throw new ApiError("method_not_allowed", message, { headers: { allow: "POST", ...(isUpgrade && { upgrade: "HTTP/1.1" }) } });
}

/** Embeddings. */
export function embeddingsEndpoints(gateway: Gateway): Endpoint[] {
  return [
    {
      method: "POST",
      path: embeddingsFormat.path,
      contract: {
        operationId: "createEmbeddings",
        summary: "Creates the embeddings of texts.",
        request: embeddingsRequestSchema,
        requestHeaders: CHAT_REQUEST_HEADERS,
        replies: {
          200: {
            description: "The vectors, in the order of the texts; with `x-dry-run: 1` a report of what would happen.",
            headers: COMPLETION_HEADERS,
            json: embeddingsResponseSchema,
            others: { [DRY_RUN_TYPE]: dryRunSchema },
          },
          ...errorReplies(CHAT_ERRORS, { ...LIMIT_HEADERS, ...ROUTE_HEADERS, ...REMAINING_HEADERS }),
        },
      },
      handle: (exchange) => serveModelRequest(embeddingsFormat, exchange, gateway),
    },
  ];
}

/** The endpoints in other formats, and the paths of their APIs. */
const APIS = {
  messages: {
    api: "the Messages API",
    isPath: /^(\/v1)?\/messages(\/|$)/,
    served: `POST ${messagesFormat.path} and POST ${countTokensFormat.path}`,
    endpoints: messagesEndpoints,
    hint: `Or use a client of the OpenAI format, which calls Claude models too, by POST ${chatFormat.path}`,
  },
  responses: {
    api: "the Responses API",
    isPath: /^(\/v1)?\/responses(\/|$)/,
    served: `POST ${responsesFormat.path}`,
    endpoints: responsesEndpoints,
    hint:
      'Or set the client to chat completions, such as set_default_openai_api("chat_completions") in the OpenAI Agents SDK, openai.chat(…) in ' +
      "the AI SDK, or use_responses_api=False in LangChain",
  },
  embeddings: {
    api: "the Embeddings API",
    isPath: /^(\/v1)?\/embeddings(\/|$)/,
    served: `POST ${embeddingsFormat.path}`,
    endpoints: embeddingsEndpoints,
    hint: `Chat completions are served by POST ${chatFormat.path}`,
  },
} as const satisfies Record<OptionalEndpoint, object>;

/** The endpoints in other formats, each served while it is on. */
export function optionalEndpoints(gateway: Gateway): Endpoint[] {
  return OPTIONAL_ENDPOINTS.flatMap((id) => {
    const isOn = (): boolean => gateway.catalog.endpoints().has(id);
    return APIS[id].endpoints(gateway).map((endpoint) => ({ ...endpoint, isOn }));
  });
}

/** LiteLLM reads a key from these headers, too. */
export const LITELLM_KEY_HEADERS = ["x-api-key", "api-key"] as const;

/** Model IDs may contain slashes. */
const ID_PATHS = [":1", ":1/:2", ":1/:2/:3", ":1/:2/:3/:4"];

/**
 * LiteLLM endpoints beyond the two endpoints of the public interface, served with `compatibility: litellm`. No OpenAPI document lists them.
 */
export function litellmEndpoints(gateway: Gateway): Endpoint[] {
  const show: Endpoint["handle"] = (exchange) => showModel(Object.values(exchange.request.params).join("/"), exchange, gateway);
  return [
    { method: "POST", path: "/chat/completions", handle: (exchange) => serveModelRequest(chatFormatOf(gateway), exchange, gateway) },
    { method: "GET", path: "/models", handle: (exchange) => listModels(exchange, gateway) },
    ...ID_PATHS.flatMap((id): Endpoint[] => [
      { method: "GET", path: `/v1/models/${id}`, handle: show },
      { method: "GET", path: `/models/${id}`, handle: show },
    ]),
  ];
}

/** The docs section with the settings of more clients. */
const DOCS = "docs/errors.md#wrong-urls";

/** Endpoints of OpenAI's API that are not served. */
const UNSERVED_PATH = /^(\/v1)?\/completions$/;

/** The end of a path that starts with a wrong base URL: `/chat/completions`, `/v1/v1/models`, `/v1//models`. */
const ENDPOINT_ELSEWHERE = /\/(chat\/{1,9}completions|models)\/{0,9}$/;

/** The setting that fixes a call to an unknown path. Undefined if the path is not recognized. `on`: the optional endpoints that are on. */
export function hintForUnknownUrl(path: string, on: ReadonlySet<OptionalEndpoint> = new Set()): string | undefined {
  const optional = OPTIONAL_ENDPOINTS.find((id) => APIS[id].isPath.test(path));
  if (optional && on.has(optional)) return `This gateway serves only ${APIS[optional].served} of ${APIS[optional].api}.`;
  const hint = optional ? hintToTurnOn(optional) : hintForPath(path);
  return hint && `${hint} See ${DOCS}.`;
}

function hintToTurnOn(id: OptionalEndpoint): string {
  const { api, hint } = APIS[id];
  return `${api.replace("the", "The")} is off: an operator can turn it on with \`tollgate endpoints enable ${id}\`. ${hint}.`;
}

function hintForPath(path: string): string | undefined {
  if (UNSERVED_PATH.test(path)) return `Only chat completions are supported, by POST ${chatFormat.path}.`;
  const endpoint = ENDPOINT_ELSEWHERE.exec(path)?.[1]?.replace(/\/+/, "/");
  return (
    endpoint &&
    `The client's base URL must end in /v1: exactly one, without a trailing slash. The URL of this call would then be /v1/${endpoint}.`
  );
}
