import { operators } from "../../../access/access.ts";
import { describeWebhook } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { webhookSchema } from "./webhook-view.ts";

/** GET /api/webhooks: a page of webhooks by id. */
export function listWebhooks(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/webhooks",
    access: operators("alerts:read"),
    operationId: "listWebhooks",
    summary: "List webhooks by id",
    query: pageQuery,
    reply: { status: 200, description: "A page of webhooks.", json: pageSchema("WebhookPage", webhookSchema) },
    run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const webhooks = platform.webhooks.list().filter(({ id }) => after === undefined || id > after[0]);
      return toPage(cursors, webhooks, limit, describeWebhook, ({ id }) => [id]);
    },
  });
}
