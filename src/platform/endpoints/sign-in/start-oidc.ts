import { ApiError } from "../../../requests/api-error.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import type { OidcSignIn } from "../../sign-in/oidc.ts";
import { formatPending } from "../../sign-in/oidc-pending.ts";
import { redirect, redirectWithError } from "./redirect.ts";

/** GET /api/sign-in/oidc: redirects the browser to the OpenID provider. */
export function startOidc(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/oidc",
    access: "anyone",
    operationId: "startOidc",
    summary: "Start a sign-in with the OpenID provider",
    reply: { status: 302, description: "Redirects to the provider, or to the sign-in page with an error.", isPage: true },
    run: ({ exchange }) =>
      redirectWithError(exchange, platform, async () => {
        const { url, pending } = await requireOidc(platform).begin();
        return redirect(url, [platform.signIn.pendingCookie.set(new Secret(formatPending(pending)))]);
      }),
  });
}

export function requireOidc({ signIn }: Platform): OidcSignIn {
  if (signIn.oidc) return signIn.oidc;
  throw new ApiError("unknown_url", "No OpenID provider is configured.");
}
