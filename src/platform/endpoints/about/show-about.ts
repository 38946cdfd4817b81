import { PRESET_IDS } from "../../../models/presets.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { providerSchema, viewProvider } from "./provider-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** GET /api/about: what a page needs to know of this Tollgate before it can offer anything. */
export function showAbout(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/about",
    access: "signed-in",
    operationId: "showAbout",
    summary: "Says which version this is, where clients reach the gateway, and which providers are known.",
    reply: {
      status: 200,
      description: "What there is to know.",
      json: {
        title: "About",
        type: "object",
        required: ["version", "gateway_url", "request_log_days", "providers"],
        properties: {
          version: { type: "string" },
          gateway_url: { type: "string", description: "The base address for clients, which ends in `/v1`." },
          request_log_days: { type: "integer", description: "For how many days requests are kept; 0 where they are not." },
          providers: { type: "array", items: providerSchema, description: "The presets that an upstream can be made of." },
        },
      },
    },
    run: () =>
      Reply.json({
        version: platform.version,
        gateway_url: `${platform.gatewayUrl}/v1`,
        request_log_days: platform.requestLogDays,
        providers: PRESET_IDS.map(viewProvider),
      }),
  });
}
