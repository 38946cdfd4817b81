import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";

/** GET /api/sign-in/methods: the sign-in methods to offer. */
export function listMethods(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/methods",
    access: "anyone",
    operationId: "listSignInMethods",
    summary: "List the available sign-in methods",
    reply: {
      status: 200,
      description: "The available sign-in methods.",
      json: {
        title: "SignInMethods",
        type: "object",
        required: ["password", "oidc"],
        properties: {
          password: { type: "boolean" },
          oidc: { type: "boolean", description: "Whether an OpenID provider (SSO) is configured." },
        },
      },
    },
    run: () => ({ password: true, oidc: platform.signIn.oidc !== undefined }),
  });
}
