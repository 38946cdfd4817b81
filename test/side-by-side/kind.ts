export type Body = Readonly<Record<string, unknown>>;

/** A request with both official SDKs of OpenAI, for Python and Node. */
export interface SdkKind {
  readonly name: string;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that an SDK cannot send. */
export interface RawKind {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Whether the names of its reply's headers are compared too. */
  readonly comparesHeaders?: true;
}

/** A placeholder for the client's key, which differs between the gateways. */
export const KEY = "KEY";

export const HELLO = [{ role: "user", content: "Hello!" }];

/** A chat completion of the model `chat`, unless the body names another model. */
export function chat(name: string, body: Body = {}, headers?: Readonly<Record<string, string>>): SdkKind {
  return { name, body: { model: "chat", messages: HELLO, ...body }, ...(headers && { headers }) };
}

export function raw(name: string, method: string, path: string, more: Partial<RawKind> = {}): RawKind {
  return { name, method, path, headers: { authorization: `Bearer ${KEY}` }, ...more };
}

/** A chat completion with its own headers and body. */
export function post(name: string, body: RawKind["body"], more: Partial<RawKind> = {}): RawKind {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  return { name, method: "POST", path: "/v1/chat/completions", headers, ...(body !== undefined && { body }), ...more };
}
