import { members } from "../../../access/access.ts";
import type { KeyRecord } from "../../../access/api-key.ts";
import { CHAT_REQUEST_HEADERS, EXPLANATION_TYPE } from "../../../requests/chat-headers.ts";
import { COMPLETION_HEADERS } from "../../../requests/chat-reply-headers.ts";
import { admitActor } from "../../guard.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findKey } from "./find-key.ts";

/** As for a change of the key: it spends what the key may spend. */
const access = members("keys:write");

/**
 * POST /api/keys/:id/chat/completions: asks a model as this key does, for those who may use it and do not have its text. It counts as
 * a change of theirs, so that a session that was stolen cannot spend faster than it could change things.
 */
export function askWithKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/chat/completions",
    access,
    operationId: "askWithKey",
    summary: "Asks a model as this key, without its text. It is admitted, charged and logged like any request of the key's.",
    body: { type: "object", description: "As `POST /v1/chat/completions` of the gateway takes it." },
    passesBodyOn: true,
    requestHeaders: CHAT_REQUEST_HEADERS,
    reply: {
      status: 200,
      description: "What the gateway answers. What it refuses has its status and its words.",
      headers: COMPLETION_HEADERS,
      json: { type: "object", description: "The completion." },
      events: { type: "string", description: "With `stream: true` its chunks." },
      others: { [EXPLANATION_TYPE]: { type: "object", description: "With `x-dry-run: 1` what would happen." } },
    },
    run({ param, exchange }) {
      // Asked for again when the body is there: whoever was shut out meanwhile cannot finish.
      const resolveCaller = (): KeyRecord => findKey(param("id"), admitActor(exchange, access, platform), platform);
      resolveCaller();
      return platform.callAsKey(resolveCaller, exchange);
    },
  });
}
