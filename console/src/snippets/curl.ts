import { fieldsOf, JSON_NOTATION, shellQuoted, stacked } from "./literals.ts";
import type { SnippetCall } from "./snippet-call.ts";

export function curlSnippet({ baseUrl, key, body }: SnippetCall, path = "/chat/completions"): string {
  const json = `{${stacked(fieldsOf(body, JSON_NOTATION, "    "), JSON_NOTATION, "  ")}}`;
  return curlOf({ baseUrl, path, key, isStream: body["stream"] === true, json });
}

interface CurlCall extends Pick<SnippetCall, "baseUrl" | "key"> {
  /** The path of the endpoint, after the base URL. */
  readonly path: string;
  readonly isStream: boolean;
  /** The body to send, with invisible characters escaped. */
  readonly json: string;
}

/**
 * A curl command that sends this body. Model names and prompts are untrusted: after quoting, they cannot run anything when pasted into a
 * shell.
 */
export function curlOf({ baseUrl, path, key, isStream, json }: CurlCall): string {
  const authorization = key === null ? '"Authorization: Bearer $OPENAI_API_KEY"' : shellQuoted(`Authorization: Bearer ${key}`);
  const lines = [
    // -N disables buffering, so that a stream is printed as it arrives.
    `curl ${isStream ? "-N " : ""}${shellQuoted(`${baseUrl}${path}`)}`,
    `  -H ${authorization}`,
    `  -H 'Content-Type: application/json'`,
    // Not --data, which would read a value that starts with @ as a file name.
    `  --data-raw ${shellQuoted(json)}`,
  ];
  return lines.join(" \\\n");
}
