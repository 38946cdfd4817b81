import { SCOPES } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { personSchema, roleSchema, viewPerson } from "../people/person-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** GET /api/me: who the credential of this request stands for. */
export function showMe(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me",
    access: "signed-in",
    operationId: "showMe",
    summary: "Says who the request comes from, and how far it may reach.",
    reply: {
      status: 200,
      description: "Who it is.",
      json: {
        title: "Me",
        type: "object",
        required: ["credential", "role", "account", "scopes", "person"],
        properties: {
          credential: { type: "string", enum: ["session", "access_token", "operator_token"] },
          role: roleSchema,
          account: { type: "string", nullable: true, description: "The only account that is in reach; null for all." },
          scopes: {
            type: "array",
            nullable: true,
            items: { type: "string", enum: SCOPES },
            description: "What an access token is narrowed to; null for everything that the role may do.",
          },
          person: { ...personSchema, title: "MePerson", nullable: true, description: "Null for the operator token, which is nobody's." },
        },
      },
    },
    run({ actor: { personId, sessionId, role, accountId, scopes } }) {
      const credential = sessionId !== null ? "session" : personId !== null ? "access_token" : "operator_token";
      const person = personId === null ? null : viewPerson(platform.people.find(personId)!);
      return Reply.json({ credential, role, account: accountId, scopes, person });
    },
  });
}
