import { base } from "./base.ts";
import { PLACES, type Operations, type Problem } from "./interface.ts";

export type OperationId = keyof Operations;
type Kept<T> = { [Part in keyof T as T[Part] extends undefined ? never : Part]: T[Part] };

/** A query is text, as it comes from the address of a page: the platform says what is wrong with it. */
type Query<T> = { readonly [Name in keyof T]?: T[Name] | string };

/** What has to be said to have an operation done: its path, query and body, as far as it has them. */
export type Asked<Id extends OperationId> = Kept<Pick<Operations[Id], "path" | "body">> & { query?: Query<Operations[Id]["query"]> };
export type Reply<Id extends OperationId> = Operations[Id]["reply"];

/** A refusal of the platform, in its own words. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** The field that is at fault, where one is. */
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(problem: Pick<Problem, "status" | "code" | "detail" | "param"> & { request_id: string | null }) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.param = problem.param;
    this.requestId = problem.request_id;
  }
}

/** Nobody is signed in, or not any more. */
export function isUnknown(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401;
}

/** Calls the platform. With a name, it makes what is to be made at most once under it. */
export async function call<Id extends OperationId>(id: Id, asked: Asked<Id>, signal?: AbortSignal, onceName?: string): Promise<Reply<Id>> {
  const body: unknown = "body" in asked ? asked.body : undefined;
  const response = await send(addressOf(id, asked), {
    method: PLACES[id][0],
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(onceName !== undefined && { onceName }),
  });
  return (response.status === 204 ? undefined : await response.json()) as Reply<Id>;
}

/** Where an operation is, with its path and query filled in: for links that a browser follows itself, such as downloads. */
export function addressOf<Id extends OperationId>(id: Id, asked: Omit<Asked<Id>, "body">): string {
  const { path = {}, query = {} } = asked as { path?: Record<string, string>; query?: Record<string, string | number | undefined> };
  const steps = PLACES[id][1].replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!));
  const given = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined && pair[1] !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}${steps}${text && "?"}${text}`;
}

/** Sends what may be answered with a refusal. */
export async function send(address: string, options: SendOptions): Promise<Response> {
  const response = await reach(address, options);
  if (!response.ok) throw new Refusal(await problemIn(response));
  return response;
}

type SendOptions = Pick<RequestInit, "method" | "body" | "signal"> & { readonly onceName?: string };

/** Sends, and leaves it to the caller to judge what comes. The header says that a page of ours asks: no other site can send it. */
export async function reach(address: string, { body, onceName, ...options }: SendOptions): Promise<Response> {
  const headers = {
    "x-tollgate-request": "page",
    ...(body != null && { "content-type": "application/json" }),
    ...(onceName !== undefined && { "idempotency-key": onceName }),
  };
  return fetch(address, { ...options, headers, ...(body != null && { body }) }).catch((cause: unknown) => {
    if (options.signal?.aborted) throw cause;
    throw new Refusal({
      status: 0,
      code: "unreachable",
      detail: "Tollgate cannot be reached. Is it running?",
      param: null,
      request_id: null,
    });
  });
}

async function problemIn(response: Response): Promise<ConstructorParameters<typeof Refusal>[0]> {
  try {
    return (await response.json()) as Problem;
  } catch {
    // Something between us and the platform has answered, such as a proxy.
    const detail = `The server answered ${response.status} ${response.statusText}, which is not Tollgate's own answer.`;
    return { status: response.status, code: "unreadable", detail, param: null, request_id: null };
  }
}
