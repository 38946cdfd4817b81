import { curlSnippet } from "./curl.ts";
import { pythonSnippet } from "./python.ts";
import { typescriptSnippet } from "./typescript.ts";

/** A gateway call to render as code. */
export interface SnippetCall {
  /** Such as `http://localhost:8700/v1`. */
  readonly baseUrl: string;
  /** Null where it is not known: the code then reads `OPENAI_API_KEY`. */
  readonly key: string | null;
  /** The request body. Its values are untrusted: none may break out of its quotes. */
  readonly body: Readonly<Record<string, unknown>>;
}

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
