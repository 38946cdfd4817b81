import { curlOf, curlSnippet } from "../../snippets/curl.ts";
import { escapeInvisible } from "../../snippets/literals.ts";

interface CurlInput {
  /** The base URL of the gateway, which ends in `/v1`. */
  readonly gatewayUrl: string;
  /** The request body, where it is stored and was loaded. */
  readonly body: string | null;
  readonly model: string | null;
  readonly isStream: boolean;
}

/** A command that repeats the request, or an example with its model where the body is not stored. */
export function toCurl({ gatewayUrl, body, model, isStream }: CurlInput): string {
  const call = { baseUrl: gatewayUrl, key: null };
  if (body !== null && isJson(body)) return curlOf({ ...call, isStream, json: escapeInvisible(body) });
  const messages = [{ role: "user", content: "Hello" }];
  return curlSnippet({ ...call, body: { model: model ?? "", messages, ...(isStream && { stream: true }) } });
}

/** A truncated body is not valid JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
