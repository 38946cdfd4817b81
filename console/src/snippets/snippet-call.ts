/** A gateway call to render as code. */
export interface SnippetCall {
  /** Such as `http://localhost:8700/v1`. */
  readonly baseUrl: string;
  /** Null if the key is not known: the code then reads `OPENAI_API_KEY`. */
  readonly key: string | null;
  /** The request body. Its values are untrusted: none may break out of its quotes. */
  readonly body: Readonly<Record<string, unknown>>;
}
