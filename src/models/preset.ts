import type { ParameterPolicy } from "./parameters/parameter-policy.ts";

/** A server that many people use: where it is, what its credential is called, and in what it parts from the format. */
export interface Preset {
  /** For people. */
  readonly name: string;
  readonly dialect: "openai" | "anthropic" | "gemini";
  /** Its base URL. `{…}` stands for the customer's own part, where each customer has a URL of its own. */
  readonly baseUrl: string;
  /** The beginnings of well-known base URLs, host and path, where that is more than the host of `baseUrl`. */
  readonly addresses?: RegExp;
  /** The environment variables that its credential usually has, the most usual one first. */
  readonly variables?: readonly string[];
  /** How the environment tells a customer's own address: the value of one of these variables, in the place of `{}`. */
  readonly ownAddress?: { readonly variables: readonly string[]; readonly baseUrl: string };
  /** Whether it runs beside us: at its usual address, without a credential, and without a bill. */
  readonly isLocal?: boolean;
  /** Whether it has no list of what can be called there: the models have to be named by whoever knows them. */
  readonly isWithoutList?: boolean;
  readonly quirks?: Quirks;
}

/** What a server of the chat-completions format does in its own way. */
export interface Quirks {
  /** The header that carries the credential, where that is not `Authorization: Bearer`. */
  readonly credentialHeader?: "api-key";
  /** The path of completions below the base URL, where that is not `/chat/completions`. `{model}` is its name for the model. */
  readonly completionsPath?: string;
  /** Where its models are listed, where that is not `/models`. */
  readonly modelsPath?: string;
  /** What it calls the limit on an answer, where the caller has not called it anything. `max_tokens` where it is not said. */
  readonly maxTokens?: "max_completion_tokens";
  /** Whether it refuses `stream_options`, and counts tokens unasked. */
  readonly countsUnasked?: boolean;
  /** Parameters that it refuses or overlooks, or knows by another name. */
  readonly parameters?: ParameterPolicy;
  /** Fields that it takes only in messages of these roles. */
  readonly messageFields?: Readonly<Record<string, readonly string[]>>;
  /** Whether it knows no `developer`, who is to be `system` there. */
  readonly hasNoDeveloper?: boolean;
  /** Whether text in parts must be made one string for it. */
  readonly textInOnePiece?: boolean;
  /** Whether it refuses ids of tool calls that are not nine letters and digits. */
  readonly shortToolIds?: boolean;
}
