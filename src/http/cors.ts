import type { Endpoint } from "./endpoint.ts";

/**
 * Browsers may call from any page: the credential is a bearer key that the page must already hold, never a cookie that the
 * browser would add by itself.
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-request-id, retry-after, x-should-retry, x-tollgate-shutdown-date, x-tollgate-replacement",
};

/** Answers the question a browser asks before it sends. No key is needed for it: browsers send none. */
export function answerPreflight(request: Request, endpoints: readonly Endpoint[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      "access-control-allow-methods": endpoints.map((endpoint) => endpoint.method).join(", "),
      // `*` would not cover Authorization, and SDKs add headers of their own under names that change by version.
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "authorization, content-type",
      "access-control-max-age": "7200",
      vary: "access-control-request-headers",
    },
  });
}
