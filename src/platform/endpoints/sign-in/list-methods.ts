import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** GET /api/sign-in/methods: what a sign-in page has to offer. */
export function listMethods(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/methods",
    access: "anyone",
    operationId: "listSignInMethods",
    summary: "Says how one can sign in.",
    reply: {
      status: 200,
      description: "The ways there are.",
      json: {
        title: "SignInMethods",
        type: "object",
        required: ["password", "oidc"],
        properties: { password: { type: "boolean" }, oidc: { type: "boolean", description: "Whether an OpenID provider is set up." } },
      },
    },
    run: () => Reply.json({ password: true, oidc: platform.signIn.oidc !== undefined }),
  });
}
