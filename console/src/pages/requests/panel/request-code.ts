import { curlOf, curlSnippet } from "../../../snippets/curl.ts";
import { escapeInvisible } from "../../../snippets/literals.ts";
import { pythonSnippet } from "../../../snippets/python.ts";
import type { SnippetCall } from "../../../snippets/snippet-call.ts";
import type { LoggedRequest } from "../../../../../platform-client/types.ts";
import { typescriptSnippet } from "../../../snippets/typescript.ts";

const LANGUAGES = ["curl", "Python", "JavaScript"] as const;

export type Language = (typeof LANGUAGES)[number];

type Endpoint = LoggedRequest["endpoint"];

/** The languages of the code for a request. The snippets for SDKs call chat completions. */
export function languagesFor(endpoint: Endpoint): readonly Language[] {
  return endpoint === "chat_completions" ? LANGUAGES : ["curl"];
}

const PATHS: Readonly<Record<Endpoint, string>> = {
  chat_completions: "/chat/completions",
  messages: "/messages",
  responses: "/responses",
  embeddings: "/embeddings",
};

/** The fields besides the model that a body must have. */
const EXAMPLES: Readonly<Record<Endpoint, SnippetCall["body"]>> = {
  chat_completions: { messages: [{ role: "user", content: "Hello" }] },
  messages: { max_tokens: 1024, messages: [{ role: "user", content: "Hello" }] },
  responses: { input: "Hello" },
  embeddings: { input: "Hello" },
};

interface RequestToRepeat {
  /** The base URL of the gateway, which ends in `/v1`. */
  readonly gatewayUrl: string;
  /** The request body, if it is stored and was loaded. */
  readonly body: string | null;
  readonly model: string | null;
  readonly isStream: boolean;
  readonly endpoint: Endpoint;
}

/**
 * Code that repeats the request. If the body is not stored, the code is an example with the same model. It reads the key from the
 * environment.
 */
export function toCode(language: Language, { gatewayUrl, body, model, isStream, endpoint }: RequestToRepeat): string {
  const call = { baseUrl: gatewayUrl, key: null };
  const parsed = body === null ? undefined : parse(body);
  // Not parsed and serialized again, which would change a number beyond JavaScript's precision.
  const path = PATHS[endpoint];
  if (language === "curl" && parsed) return curlOf({ ...call, path, isStream, json: escapeInvisible(body!) });
  const example = parsed ?? { model: model ?? "", ...EXAMPLES[endpoint], ...(isStream && { stream: true }) };
  return language === "curl" ? curlSnippet({ ...call, body: example }, path) : SNIPPETS[language]({ ...call, body: example });
}

/** Whether the code repeats the request, instead of being an example. */
export function isRepeatable(body: string | null): boolean {
  return body !== null && parse(body) !== undefined;
}

/** The JavaScript snippet is also valid TypeScript. */
const SNIPPETS: Record<Exclude<Language, "curl">, (call: SnippetCall) => string> = {
  Python: pythonSnippet,
  JavaScript: typescriptSnippet,
};

/** A truncated body is not valid JSON. */
function parse(text: string): SnippetCall["body"] | undefined {
  try {
    return JSON.parse(text) as SnippetCall["body"];
  } catch {
    return undefined;
  }
}
