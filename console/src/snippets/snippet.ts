import { curlSnippet } from "./curl.ts";
import { pythonSnippet } from "./python.ts";
import { typescriptSnippet } from "./typescript.ts";

/** A call of the gateway that is to be written as code. */
export interface SnippetCall {
  /** Such as `http://localhost:8700/v1`. */
  readonly baseUrl: string;
  /** Null where it is not known: the code takes it from `OPENAI_API_KEY` then. */
  readonly key: string | null;
  /** The body of the request. Its model and texts may be anybody's: nothing in them gets out of its quotes. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Snippet {
  readonly id: "curl" | "python" | "typescript";
  readonly label: string;
  readonly text: string;
}

/** The same call in every language that there is, the shortest first. */
export function snippetsOf(call: SnippetCall): readonly Snippet[] {
  return [
    { id: "curl", label: "curl", text: curlSnippet(call) },
    { id: "python", label: "Python", text: pythonSnippet(call) },
    { id: "typescript", label: "TypeScript", text: typescriptSnippet(call) },
  ];
}

/** The smallest request that brings an answer. */
export function greetingBody(model: string): SnippetCall["body"] {
  return { model, messages: [{ role: "user", content: "Say hello." }] };
}
