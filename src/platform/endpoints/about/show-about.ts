import { PRESET_IDS } from "../../../models/presets.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { providerSchema, viewProvider } from "./provider-view.ts";

/** GET /api/about: the version, the gateway's base URL and the known providers. */
export function showAbout(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/about",
    access: "signed-in",
    operationId: "showAbout",
    summary: "Show the version, the base URL for clients, and the known providers",
    reply: {
      status: 200,
      description: "The installation.",
      json: {
        title: "About",
        type: "object",
        required: ["version", "commit", "gateway_url", "request_log_days", "providers"],
        properties: {
          version: { type: "string" },
          commit: { type: "string", nullable: true, description: "The commit that it was built from; null where it is not known." },
          gateway_url: { type: "string", description: "The base URL for clients. It ends in `/v1`." },
          request_log_days: { type: "integer", description: "Retention of the request log in days; 0 when it is disabled." },
          providers: { type: "array", items: providerSchema, description: "The provider presets that an upstream can use." },
        },
      },
    },
    run: () => ({
      version: platform.version,
      commit: platform.commit,
      gateway_url: `${platform.gatewayUrl}/v1`,
      request_log_days: platform.requestLogDays,
      providers: PRESET_IDS.map(viewProvider),
    }),
  });
}
