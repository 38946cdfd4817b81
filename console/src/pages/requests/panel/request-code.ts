import { curlOf, curlSnippet } from "../../../snippets/curl.ts";
import { escapeInvisible } from "../../../snippets/literals.ts";
import { pythonSnippet } from "../../../snippets/python.ts";
import type { SnippetCall } from "../../../snippets/snippet-call.ts";
import { typescriptSnippet } from "../../../snippets/typescript.ts";

export const LANGUAGES = ["curl", "Python", "JavaScript"] as const;

export type Language = (typeof LANGUAGES)[number];

interface RequestToRepeat {
  /** The base URL of the gateway, which ends in `/v1`. */
  readonly gatewayUrl: string;
  /** The request body, if it is stored and was loaded. */
  readonly body: string | null;
  readonly model: string | null;
  readonly isStream: boolean;
}

/**
 * Code that repeats the request. If the body is not stored, the code is an example with the same model. It reads the key from the
 * environment.
 */
export function toCode(language: Language, { gatewayUrl, body, model, isStream }: RequestToRepeat): string {
  const call = { baseUrl: gatewayUrl, key: null };
  const parsed = body === null ? undefined : parse(body);
  // Not parsed and serialized again, which would change a number beyond JavaScript's precision.
  if (language === "curl" && parsed) return curlOf({ ...call, isStream, json: escapeInvisible(body!) });
  const messages = [{ role: "user", content: "Hello" }];
  return SNIPPETS[language]({ ...call, body: parsed ?? { model: model ?? "", messages, ...(isStream && { stream: true }) } });
}

/** Whether the code repeats the request, instead of being an example. */
export function isRepeatable(body: string | null): boolean {
  return body !== null && parse(body) !== undefined;
}

/** The JavaScript snippet is also valid TypeScript. */
const SNIPPETS: Record<Language, (call: SnippetCall) => string> = {
  curl: curlSnippet,
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
