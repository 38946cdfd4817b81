import type { Exchange, Method, ReplyContract } from "../http/endpoint.ts";
import type { Access, Actor } from "../access/access.ts";
import type { Change, Target } from "../access/change.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Cursors } from "./cursors.ts";
import { changePreviewSchema } from "./preview/preview-schema.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/** A call while it is carried out: who makes it, and what it brings. All of it has been checked. */
export interface Call<Body = unknown, Query = unknown> {
  readonly actor: Actor;
  readonly body: Body;
  readonly query: Query;
  readonly exchange: Exchange;
  /** Those of the list that is asked for, for the account of the actor. */
  readonly cursors: Cursors;
  /** A step of the path: `id` in `/api/keys/:id`. */
  readonly param: (name: string) => string;
  /** The record of what this call changes, for the store that changes it. */
  readonly change: (action: string, target: Target, what: Changed) => Change;
}

/** How something was and is, as the platform shows it: nothing of it may be secret. */
export interface Changed {
  readonly before: object | null;
  readonly after: object | null;
  readonly accountId?: string | null;
  /** Who made the change, where that is known only now: who signs in comes as anyone. */
  readonly by?: Pick<Actor, "id" | "name">;
}

/** A call that changes nothing, and so has no record of a change to write. */
export type Look<Body = unknown, Query = unknown> = Omit<Call<Body, Query>, "change">;

/** What the published description says of a call that succeeds. */
export interface SuccessContract extends Pick<ReplyContract, "description" | "headers" | "json" | "events" | "others"> {
  readonly status: number;
  /** Of a creation: what status 200 says in the place of `status`, where the same call was made before. */
  readonly repeated?: string;
  /** A page is for a browser to visit: the published description leaves it out. */
  readonly isPage?: true;
}

/**
 * One thing that can be done on the platform: who may do it, what it takes, what it gives. The route, the check of the
 * credential, of the query and of the body, and the published description all follow from it. There is no other way in.
 */
export interface Operation<Body = unknown, Query = unknown> {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** In the published description. */
  readonly operationId: string;
  readonly summary: string;
  /** What the query string may have. All of it is optional, and nothing else is taken; or "any", where others decide that. */
  readonly query?: Readonly<Record<string, Schema>> | "any";
  readonly body?: Schema;
  /** Whether the body is left to those that it is passed on to: they read and check it. What it is like is for the description alone then. */
  readonly passesBodyOn?: true;
  /** Headers that it takes, and what each does. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The most that the body may have, where what it carries is larger than what people write. */
  readonly maxBodyBytes?: number;
  /** What it answers when all goes well. */
  readonly reply: SuccessContract;
  /** Of a report: few run at a time for each caller, and others are refused until one is done. */
  readonly isThrottled?: true;
  /** Says nothing in the log while it succeeds: it is asked every few seconds. */
  readonly isProbe?: true;
  run(call: Call<Body, Query>): Promise<Reply> | Reply;
  /**
   * For a change: checks it as `run` does, and answers what it would have done, in the form of `changePreviewSchema`. `operation`
   * makes of it what `?preview=true` asks for.
   */
  readonly preview?: (call: Look<Body, Query>) => Promise<Reply>;
  /** For a creation: shows what an earlier call with the same `Idempotency-Key` made. Secrets were in the first reply only. */
  readonly showCreated?: (id: string, call: Call<Body, Query>) => Promise<Reply> | Reply;
}

/** An operation for the table of all, which need not know what each takes: `body` and `query` have been checked by then. */
export function operation<Body = undefined, Query = undefined>(described: Operation<Body, Query>): Operation {
  return (described.preview ? withPreview(described, described.preview) : described) as Operation;
}

const previewQuery: Schema = {
  type: "string",
  enum: ["true", "false"],
  description: "Save nothing, and say what the change would have done to the requests of the last 7 days.",
};

/** The same access and the same checks: only what follows them is another. */
function withPreview<Body, Query>(
  described: Operation<Body, Query>,
  preview: NonNullable<Operation<Body, Query>["preview"]>,
): Operation<Body, Query & { readonly preview?: "true" | "false" }> {
  const { query, reply } = described;
  return {
    ...described,
    query: { ...(query === "any" ? {} : query), preview: previewQuery },
    reply: {
      ...reply,
      description: `${reply.description} With \`preview=true\`, what the change would have done.`,
      json: { oneOf: [reply.json!, changePreviewSchema] },
    },
    run(call) {
      if (call.query.preview !== "true") return described.run(call);
      const { change: _, ...look } = call;
      return preview(look);
    },
  };
}
