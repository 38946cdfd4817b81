import type { JsonBody } from "../../http/read-json.ts";
import { CHAT_EVENTS } from "../../http/sse.ts";
import { ApiError, refuseViolation } from "../../requests/api-error.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { findEmbeddingsViolation, withEmbeddingsUsage, type CollectedEmbeddings } from "../../requests/embeddings-api.ts";
import { MODEL_PATHS } from "../../requests/request-notes.ts";
import type { CallerFormat, ModelRequest } from "./caller-format.ts";
import { PassedRequest } from "./translation.ts";

/** Embeddings: https://platform.openai.com/docs/api-reference/embeddings */
export const embeddingsFormat: CallerFormat = {
  name: "embeddings",
  path: MODEL_PATHS.embeddings,
  kind: "embedding",
  errors: "chat-completions",
  fieldNames: {},
  openEvents: () => CHAT_EVENTS,
  isCoveredInFull: true,
  read(body) {
    refuseViolation(findEmbeddingsViolation(body.outline));
    return new ReadEmbeddings(body);
  },
  // Vectors are not generated token by token.
  maxTokensOf: () => 0,
  choicesOf: () => 1,
  mediaPartsOf: () => undefined,
  identitiesOf: ({ outline: { user } }) => (user == null ? undefined : { users: [user], conversations: [] }),
  isFiltered: () => false,
  withUsage: withEmbeddingsUsage,
};

const NO_HEADERS = {};

class ReadEmbeddings extends PassedRequest implements ModelRequest {
  readonly format = embeddingsFormat;
  readonly relayedAs = "embeddings";
  readonly formatHeaders = NO_HEADERS;
  readonly includeUsage = false;
  readonly session = undefined;
  readonly fromChat = undefined;
  readonly conversation: ModelRequest["conversation"] = [];
  collected: CollectedEmbeddings | undefined;

  constructor(body: JsonBody) {
    super(body, false);
  }

  /** LiteLLM's clients send the same fields for the gateway as in chat completions. */
  get gatewayFields(): ModelRequest["gatewayFields"] {
    return this.outline;
  }

  chatFor(): ChatRequest {
    throw new ApiError("unsupported_parameter", `No upstream of the model ${this.model} serves embeddings.`, { param: "model" });
  }
}
