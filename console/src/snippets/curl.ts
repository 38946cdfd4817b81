import { fieldsOf, JSON_NOTATION, shellQuoted, stacked } from "./literals.ts";
import type { SnippetCall } from "./snippet.ts";

export function curlSnippet({ baseUrl, key, body }: SnippetCall): string {
  const json = `{${stacked(fieldsOf(body, JSON_NOTATION, "    "), JSON_NOTATION, "  ")}}`;
  return curlOf({ baseUrl, key, isStream: body["stream"] === true, json });
}

interface CurlCall extends Pick<SnippetCall, "baseUrl" | "key"> {
  readonly isStream: boolean;
  /** The body as it is to be sent. Nothing in it may be out of sight. */
  readonly json: string;
}

/** A command that sends this body. Model names and prompts are what strangers wrote: in the shell of whoever pastes it they stay text. */
export function curlOf({ baseUrl, key, isStream, json }: CurlCall): string {
  const authorization = key === null ? '"Authorization: Bearer $OPENAI_API_KEY"' : shellQuoted(`Authorization: Bearer ${key}`);
  const lines = [
    // -N shows the pieces of a stream as they come.
    `curl ${isStream ? "-N " : ""}${shellQuoted(`${baseUrl}/chat/completions`)}`,
    `  -H ${authorization}`,
    `  -H 'Content-Type: application/json'`,
    // Not --data: what begins with @ would be read as the name of a file.
    `  --data-raw ${shellQuoted(json)}`,
  ];
  return lines.join(" \\\n");
}
