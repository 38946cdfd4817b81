import { fieldsOf, JSON_NOTATION, shellQuoted, stacked } from "./literals.ts";
import type { SnippetCall } from "./snippet.ts";

export function curlSnippet({ baseUrl, key, body }: SnippetCall): string {
  const authorization = key === null ? '"Authorization: Bearer $OPENAI_API_KEY"' : shellQuoted(`Authorization: Bearer ${key}`);
  const lines = [
    // -N shows the pieces of a stream as they come.
    `curl ${body["stream"] === true ? "-N " : ""}${shellQuoted(`${baseUrl}/chat/completions`)}`,
    `  -H ${authorization}`,
    `  -H 'Content-Type: application/json'`,
    // Not --data: what begins with @ would be read as the name of a file.
    `  --data-raw ${shellQuoted(`{${stacked(fieldsOf(body, JSON_NOTATION, "    "), JSON_NOTATION, "  ")}}`)}`,
  ];
  return lines.join(" \\\n");
}
