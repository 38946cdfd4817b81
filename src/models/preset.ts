import type { Identity } from "./identities/identity.ts";
import type { ParameterPolicy } from "./parameters/parameter-policy.ts";

/**
 * The settings that Tollgate knows for a provider or a local server, so that an upstream needs only the preset's name and a credential
 * (`preset: groq`). `presets.ts` has all of them.
 */
export interface Preset {
  /** The display name. */
  readonly name: string;
  readonly dialect: "openai" | "anthropic" | "gemini" | "bedrock";
  /** Its base URL. `{…}` is a placeholder if each customer has its own URL, such as the resource name of Azure. */
  readonly baseUrl: string;
  /** Matches the host and path of all of its base URLs, to recognize an upstream without `preset`. Defaults to the host of `baseUrl`. */
  readonly baseUrlPattern?: RegExp;
  /** The environment variables that usually contain its credential, the most common one first. A start without a config file reads them. */
  readonly variables?: readonly string[];
  /** The customer's own base URL: the value of the first of these environment variables that is set replaces `{}`. */
  readonly customerUrl?: { readonly variables: readonly string[]; readonly baseUrl: string };
  /** Whether it is a local server, such as Ollama: it needs no credential and costs nothing. */
  readonly isLocal?: boolean;
  /** Whether it does not list its callable models, so that the operator has to declare them. */
  readonly hasNoModelList?: boolean;
  /**
   * The connection test for a provider that returns 404 even for a list of models. `token_count` counts tokens, which is free of charge and
   * needs the same permission as a call. `credentials` only obtains credentials.
   */
  readonly testedBy?: "token_count" | "credentials";
  /** The kind of identity that its upstreams may have instead of a credential. */
  readonly identity?: Identity["kind"];
  readonly quirks?: Quirks;
}

/** The API format of an upstream over HTTP. */
export type RemoteDialect = Preset["dialect"] | "responses";

/**
 * Differences of a server from OpenAI's chat completions API. In `upstreams/openai`, `openai-request.ts` applies the differences of the
 * path and the body, `adapt-messages.ts` the differences of messages, and `openai-headers.ts` the credential header.
 * `parameters/dialect-parameters.ts` applies `parameters`, and `upstreams/anthropic` applies `rawPredictVersion`.
 */
export interface Quirks {
  /** The header of the credential, if it is not `Authorization: Bearer`. */
  readonly credentialHeader?: "api-key";
  /** The path of completions below the base URL, if it is not `/chat/completions`. `{model}` is the upstream model. */
  readonly completionsPath?: string;
  /** The API versions that an upstream can choose, sent as the query parameter `api-version` of each request. */
  readonly apiVersions?: ApiVersions;
  /** The parameter for the output limit that the gateway adds to requests without one. `max_tokens` by default. */
  readonly maxTokens?: "max_completion_tokens";
  /** Whether it rejects `stream_options` and sends usage on every stream. */
  readonly alwaysSendsUsage?: boolean;
  /** Parameters that it rejects, ignores or names differently. */
  readonly parameters?: ParameterPolicy;
  /** Message fields that it accepts only for these roles; they are removed from other messages. */
  readonly messageFields?: Readonly<Record<string, readonly string[]>>;
  /** Whether it lacks the role `developer`, which is sent as `system`. */
  readonly lacksDeveloperRole?: boolean;
  /** Whether `content` must be one string, so that text parts are joined. */
  readonly needsJoinedText?: boolean;
  /** Claude at Vertex AI: the model is in the path, at `rawPredict`, and this version of the Messages API is in the body. */
  readonly rawPredictVersion?: string;
  /** Whether it serves OpenAI's Responses API, too, at `/responses`: its upstreams may have the dialect `responses`. */
  readonly hasResponses?: boolean;
  /** The most inputs of one request for embeddings. OpenAI's limit by default. */
  readonly maxEmbeddingInputs?: number;
  /** Whether inputs for embeddings must be texts, not tokens. */
  readonly lacksEmbeddingTokens?: boolean;
  /** Parameters of embeddings that it rejects or ignores. */
  readonly embeddingParameters?: Readonly<Record<string, "drop" | "refuse">>;
  /** Whether it rejects tool call IDs unless they have nine letters and digits. */
  readonly shortToolIds?: boolean;
}

interface ApiVersions {
  readonly pattern: RegExp;
  readonly patternInWords: string;
  /** The version if the upstream chooses none. If undefined, requests have no `api-version`. */
  readonly default?: string;
}
