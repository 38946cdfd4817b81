import type { Exchange, Method, ReplyContract } from "../http/endpoint.ts";
import type { Access, Actor } from "../access/access.ts";
import type { Change, Target } from "../access/change.ts";
import type { Infer } from "../lib/schema/infer.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Cursors } from "./cursors.ts";
import { changePreviewSchema } from "./preview/preview-schema.ts";
import { Reply } from "../lib/http1/server/reply.ts";

/** A call in progress: its actor and its input, which have been checked. */
export interface Call<Body = unknown, Query = unknown> {
  readonly actor: Actor;
  readonly body: Body;
  readonly query: Query;
  readonly exchange: Exchange;
  /** The cursors of the requested list, for the account of the actor. */
  readonly cursors: Cursors;
  /** A path parameter: `id` in `/api/keys/:id`. */
  readonly param: (name: string) => string;
  /** Creates the audit record of this call's change, for the store that makes it. */
  readonly change: (action: string, target: Target, what: StateChange) => Change;
}

/** The state before and after a change, as the API returns it. It must not contain a secret. */
interface StateChange {
  readonly before: object | null;
  readonly after: object | null;
  readonly accountId?: string | null;
  /** The actor, if it is known only now: a person who signs in is anonymous before. */
  readonly by?: Pick<Actor, "id" | "name">;
}

/** A call that changes nothing, and has no audit record. */
export type ReadOnlyCall<Body = unknown, Query = unknown> = Omit<Call<Body, Query>, "change">;

/** The success reply in the OpenAPI document. */
export interface SuccessContract extends Pick<ReplyContract, "description" | "headers" | "json" | "events" | "others"> {
  readonly status: number;
  /** For a creation: the description of status 200, which is returned if the call is repeated. */
  readonly repeated?: string;
  /** A page for browsers, which is not in the OpenAPI document. */
  readonly isPage?: true;
}

/** The schemas of query parameters. All of them are optional, and other parameters are rejected. */
export type QuerySchemas = Readonly<Record<string, Schema>>;

/** What an operation returns: the JSON value of its reply, or a reply of another kind, such as a stream or a redirect. */
type Result<Json> = Promise<Json | Reply> | Json | Reply;

/**
 * An operation of the platform: its access, input and reply. The route, the checks of credential, query and body, and the OpenAPI document
 * are derived from it. Every endpoint of the platform is such an operation.
 */
export interface Operation<Body = unknown, Query = unknown, Json = unknown> {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** The id in the OpenAPI document. */
  readonly operationId: string;
  readonly summary: string;
  /** The query parameters, or "any" to accept all. */
  readonly query?: QuerySchemas | "any" | undefined;
  readonly body?: Schema | undefined;
  /** Whether the body is passed unread to a handler that validates it. Its schema is then used only for the OpenAPI document. */
  readonly passesBodyOn?: true;
  /** Accepted request headers, with their descriptions. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The maximum body size, if it exceeds the default. */
  readonly maxBodyBytes?: number;
  /** The success reply. */
  readonly reply: SuccessContract;
  /** For a report: has a concurrency limit per caller. Requests above the limit are rejected. */
  readonly isThrottled?: true;
  /** Not logged on success, because it is polled every few seconds. */
  readonly isProbe?: true;
  run(call: Call<Body, Query>): Result<Json>;
  /**
   * For a change: makes the same checks as `run`, and returns its simulated effect as `changePreviewSchema`. `operation` calls it for
   * `?preview=true`.
   */
  readonly preview?: (call: ReadOnlyCall<Body, Query>) => Promise<Reply>;
  /** For a creation: returns the resource of an earlier call with the same `Idempotency-Key`. Only the first reply contains secrets. */
  readonly showCreated?: (id: string, call: Call<Body, Query>) => Result<Json>;
}

/** An operation whose input and reply have the types of its schemas. */
type TypedOperation<Body, Query, Json> = Omit<Operation<Infer<Body>, QueryOf<Query>, JsonOf<Json>>, "body" | "query" | "reply"> & {
  readonly body?: Body;
  readonly query?: Query;
  readonly reply: SuccessContract & { readonly json?: Json };
};

/** The type of query parameters. */
export type QueryOf<Schemas> = { readonly [Name in keyof Schemas]?: Infer<Schemas[Name]> };

/** Without a schema, a reply is not JSON. */
type JsonOf<Json> = Json extends Schema ? Infer<Json> : never;

/**
 * An operation with erased types, for the table of all operations. Its schemas determine the types of `run`: of its input, which has
 * already been validated, and of the JSON that it returns.
 */
export function operation<
  const Body extends Schema | undefined = undefined,
  const Query extends QuerySchemas | "any" | undefined = undefined,
  const Json extends Schema | undefined = undefined,
>(described: TypedOperation<Body, Query, Json>): Operation {
  // The types are erased here: only `toCall` creates calls for it, and their input has been validated with these schemas.
  const erased = described as unknown as Operation;
  return erased.preview ? withPreview(erased, erased.preview) : erased;
}

/** The reply to a call: the result of `run` as JSON, unless `run` returned a reply of another kind. */
export async function runOperation(called: Operation, call: Call): Promise<Reply> {
  return toReply(await called.run(call), called.reply.status);
}

export function toReply(result: unknown, status: number): Reply {
  return result instanceof Reply ? result : Reply.json(result, { status });
}

const previewQuery = {
  type: "string",
  enum: ["true", "false"],
  description: "Save nothing, and return the simulated effect of the change on the requests of the last 7 days.",
} as const satisfies Schema;

/** The same access and checks; only the handler differs. */
function withPreview(described: Operation, preview: NonNullable<Operation["preview"]>): Operation {
  const { query, reply } = described;
  return {
    ...described,
    query: { ...(query === "any" ? {} : query), preview: previewQuery },
    reply: {
      ...reply,
      description: `${reply.description} With \`preview=true\`, the simulated effect of the change.`,
      json: { oneOf: [reply.json!, changePreviewSchema] },
    },
    run(call) {
      if ((call.query as { readonly preview?: string }).preview !== "true") return described.run(call);
      const { change: _, ...look } = call;
      return preview(look);
    },
  };
}
