import { curlOf, curlSnippet } from "../../snippets/curl.ts";
import { escapeInvisible } from "../../snippets/literals.ts";

interface Asking {
  /** The base address of the gateway, which ends in `/v1`. */
  readonly gatewayUrl: string;
  /** What was asked, where that is kept and was looked at. */
  readonly body: string | null;
  readonly model: string | null;
  readonly isStream: boolean;
}

/** A command that asks the same again, or of a body that was not kept, what is known of it. */
export function toCurl({ gatewayUrl, body, model, isStream }: Asking): string {
  const call = { baseUrl: gatewayUrl, key: null };
  if (body !== null && isJson(body)) return curlOf({ ...call, isStream, json: escapeInvisible(body) });
  const messages = [{ role: "user", content: "Hello" }];
  return curlSnippet({ ...call, body: { model: model ?? "", messages, ...(isStream && { stream: true }) } });
}

/** One that was cut when it was kept is not. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
