import { GatewayError } from "../../../requests/gateway-error.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import type { OidcSignIn } from "../../sign-in/oidc.ts";
import { formatPending } from "../../sign-in/oidc-pending.ts";
import { redirect, sendOn } from "./redirect.ts";

/** GET /api/sign-in/oidc: sends the browser to the OpenID provider. */
export function beginOidc(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/oidc",
    access: "anyone",
    operationId: "beginOidc",
    summary: "Sends the browser to the OpenID provider, to sign in there.",
    reply: { status: 302, description: "To the provider; or to the sign-in page, which says what went wrong.", isPage: true },
    run: ({ exchange }) =>
      sendOn(exchange, platform, async () => {
        const { url, pending } = await requireOidc(platform).begin();
        return redirect(url, [platform.signIn.pendingCookie.set(new Secret(formatPending(pending)))]);
      }),
  });
}

export function requireOidc({ signIn }: Platform): OidcSignIn {
  if (signIn.oidc) return signIn.oidc;
  throw new GatewayError("unknown_url", "No OpenID provider is set up here.");
}
