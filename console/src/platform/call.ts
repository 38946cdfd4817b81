import { base } from "./base.ts";
import { readableMessage } from "./readable-message.ts";
import { PLACES, type Operations, type Problem } from "../../../platform-client/types.ts";

export type OperationId = keyof Operations;
type WithoutAbsent<T> = { [Part in keyof T as T[Part] extends undefined ? never : Part]: T[Part] };

/** Query parameters may be text from the URL of a page: the server validates them. */
type Query<T> = { readonly [Name in keyof T]?: T[Name] | string };

/** The input of an operation: its path parameters, query and body, if any. */
export type OperationInput<Id extends OperationId> = WithoutAbsent<Pick<Operations[Id], "path" | "body">> & {
  query?: Query<Operations[Id]["query"]>;
};
export type Reply<Id extends OperationId> = Operations[Id]["reply"];

/** An error response of the platform API. Its message is for people; its detail is the API's original text. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The invalid field, if any. */
  readonly param: string | null;
  readonly detail: string;
  readonly requestId: string | null;

  constructor(problem: Pick<Problem, "status" | "code" | "detail" | "param"> & { request_id: string | null }) {
    super(readableMessage(problem));
    this.status = problem.status;
    this.code = problem.code;
    this.param = problem.param;
    this.detail = problem.detail;
    this.requestId = problem.request_id;
  }
}

/** There is no session, or it has expired. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The session has expired. A wrong password is also a 401, but has another code. */
export function isSessionExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_signed_in";
}

/** Calls an operation of the platform API. With an idempotency key, a repeated call has no second effect. */
export async function call<Id extends OperationId>(
  id: Id,
  input: OperationInput<Id>,
  signal?: AbortSignal,
  idempotencyKey?: string,
): Promise<Reply<Id>> {
  const body: unknown = "body" in input ? input.body : undefined;
  const response = await send(urlOf(id, input), {
    method: PLACES[id][0],
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return (response.status === 204 ? undefined : await response.json()) as Reply<Id>;
}

/** The URL of an operation, including links that the browser follows itself, such as downloads. */
export function urlOf<Id extends OperationId>(id: Id, input: Omit<OperationInput<Id>, "body">): string {
  const { path = {}, query = {} } = input as { path?: Record<string, string>; query?: Record<string, string | number | undefined> };
  const steps = PLACES[id][1].replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!));
  const given = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined && pair[1] !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}${steps}${text && "?"}${text}`;
}

/** Sends a request. Throws if the response is an error. */
export async function send(url: string, options: SendOptions): Promise<Response> {
  const response = await reach(url, options);
  if (!response.ok) throw new ApiError(await problemIn(response));
  return response;
}

type SendOptions = Pick<RequestInit, "method" | "body" | "signal"> & { readonly idempotencyKey?: string };

/** Sends a request and returns any response. The header protects against CSRF: other sites cannot set it. */
export async function reach(url: string, { body, idempotencyKey, ...options }: SendOptions): Promise<Response> {
  const headers = {
    "x-tollgate-request": "page",
    ...(body != null && { "content-type": "application/json" }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  };
  return fetch(url, { ...options, headers, ...(body != null && { body }) }).catch((cause: unknown) => {
    if (options.signal?.aborted) throw cause;
    throw new ApiError({
      status: 0,
      code: "unreachable",
      detail: "Tollgate cannot be reached. Check that it is running.",
      param: null,
      request_id: null,
    });
  });
}

async function problemIn(response: Response): Promise<ConstructorParameters<typeof ApiError>[0]> {
  try {
    return (await response.json()) as Problem;
  } catch {
    // The response is not from Tollgate, but from an intermediary such as a proxy.
    const detail = `The server returned ${response.status} ${response.statusText} without an error message from Tollgate.`;
    return { status: response.status, code: "unreadable", detail, param: null, request_id: null };
  }
}
