import type { ParameterPolicy } from "./parameters/parameter-policy.ts";

/** A preset for a well-known server: its URL, the environment variables of its credential, and its quirks. */
export interface Preset {
  /** The display name. */
  readonly name: string;
  readonly dialect: "openai" | "anthropic" | "gemini";
  /** Its base URL. `{…}` stands for the customer's own part, where each customer has a URL of its own. */
  readonly baseUrl: string;
  /** Matches host and path of its base URLs, where these are more than the host of `baseUrl`. */
  readonly addresses?: RegExp;
  /** The environment variables that usually hold its credential, the most common one first. */
  readonly variables?: readonly string[];
  /** The customer's own URL: the value of one of these environment variables replaces `{}`. */
  readonly ownAddress?: { readonly variables: readonly string[]; readonly baseUrl: string };
  /** Whether it is a local server: at its default port, without a credential and without costs. */
  readonly isLocal?: boolean;
  /** Whether it has no list of callable models, so that the operator has to name them. */
  readonly isWithoutList?: boolean;
  readonly quirks?: Quirks;
}

/** Differences of a server from the chat-completions format. */
export interface Quirks {
  /** The header of the credential, where that is not `Authorization: Bearer`. */
  readonly credentialHeader?: "api-key";
  /** The path of completions below the base URL, where that is not `/chat/completions`. `{model}` is the upstream model. */
  readonly completionsPath?: string;
  /** The path of its model list, where that is not `/models`. */
  readonly modelsPath?: string;
  /** The name of its max-tokens parameter, for requests without one. `max_tokens` by default. */
  readonly maxTokens?: "max_completion_tokens";
  /** Whether it rejects `stream_options` and always sends usage. */
  readonly countsUnasked?: boolean;
  /** Parameters that it rejects, ignores or names differently. */
  readonly parameters?: ParameterPolicy;
  /** Fields that it accepts only in messages of these roles. */
  readonly messageFields?: Readonly<Record<string, readonly string[]>>;
  /** Whether it lacks the role `developer`, which is sent as `system`. */
  readonly hasNoDeveloper?: boolean;
  /** Whether text parts must be joined into one string. */
  readonly textInOnePiece?: boolean;
  /** Whether it rejects tool call ids other than nine letters and digits. */
  readonly shortToolIds?: boolean;
}
