import { members } from "../../../access/access.ts";
import type { KeyRecord } from "../../../access/api-key.ts";
import { CHAT_REQUEST_HEADERS, DRY_RUN_TYPE } from "../../../requests/chat-headers.ts";
import { COMPLETION_HEADERS } from "../../../requests/chat-reply-headers.ts";
import { admitActor } from "../../guard.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findKey } from "./find-key.ts";

/** The same access as for an update of the key, because a call spends the key's credit. */
const access = members("keys:write");

/**
 * POST /api/keys/:id/chat/completions: calls a model as this key, for people who may use the key but do not have its plaintext. It counts
 * as a change by that person, so that a stolen session cannot spend faster than it can change things.
 */
export function callAsKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/chat/completions",
    access,
    operationId: "callAsKey",
    summary: "Call a model as this key, without its plaintext. The request is admitted, charged and logged like any request with the key.",
    body: { type: "object", description: "The body of the gateway's `POST /v1/chat/completions`." },
    passesBodyOn: true,
    requestHeaders: CHAT_REQUEST_HEADERS,
    reply: {
      status: 200,
      description: "The gateway's response. Errors have the gateway's status and message.",
      headers: COMPLETION_HEADERS,
      json: { type: "object", description: "The completion." },
      events: { type: "string", description: "The chunks, with `stream: true`." },
      others: { [DRY_RUN_TYPE]: { type: "object", description: "The dry run, with `x-dry-run: 1`." } },
    },
    run({ param, exchange }) {
      // Resolved again after the body has arrived: a person who was disabled meanwhile cannot finish.
      const resolveCaller = (): KeyRecord => findKey(param("id"), admitActor(exchange, access, platform), platform);
      resolveCaller();
      return platform.callAsKey(resolveCaller, exchange);
    },
  });
}
