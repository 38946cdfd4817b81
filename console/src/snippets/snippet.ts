import { curlSnippet } from "./curl.ts";
import { pythonSnippet } from "./python.ts";
import type { SnippetCall } from "./snippet-call.ts";
import { typescriptSnippet } from "./typescript.ts";

export interface Snippet {
  readonly id: "curl" | "python" | "typescript";
  readonly label: string;
  readonly text: string;
}

/** The same call in each language. */
export function snippetsOf(call: SnippetCall): readonly Snippet[] {
  return [
    { id: "curl", label: "curl", text: curlSnippet(call) },
    { id: "python", label: "Python", text: pythonSnippet(call) },
    { id: "typescript", label: "TypeScript", text: typescriptSnippet(call) },
  ];
}

/** A minimal request. */
export function greetingBody(model: string): SnippetCall["body"] {
  return { model, messages: [{ role: "user", content: "Say hello." }] };
}
