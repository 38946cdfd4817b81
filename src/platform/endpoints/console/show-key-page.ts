import { keyPagePolicy } from "../../security-headers.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";

/**
 * GET /key: a static page for the holders of keys, who need not be people of the platform. The key that they enter stays in their browser, which
 * asks the gateway about it: the platform never sees it.
 */
export function showKeyPage(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/key",
    access: "anyone",
    operationId: "showKeyPage",
    summary: "Open the page for holders of keys",
    query: "any",
    reply: { status: 200, description: "The page.", isPage: true },
    run({ exchange }) {
      const gatewayUrl = `${platform.gatewayUrl}/v1`;
      exchange.contentSecurityPolicy = keyPagePolicy(gatewayUrl);
      return platform.console.keyPage(gatewayUrl);
    },
  });
}
