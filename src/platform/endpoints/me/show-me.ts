import { serviceOf } from "../../../access/access-token.ts";
import { SCOPES } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { personSchema, roleSchema, viewPerson } from "../people/person-view.ts";

const CREDENTIALS = ["session", "access_token", "operator_token"] as const;

/** GET /api/me: the identity behind this request's credential. */
export function showMe(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me",
    access: "signed-in",
    operationId: "showMe",
    summary: "Show the current identity and its permissions",
    reply: {
      status: 200,
      description: "The current identity.",
      json: {
        title: "Me",
        type: "object",
        required: ["credential", "role", "account", "scopes", "person", "service"],
        properties: {
          credential: { type: "string", enum: CREDENTIALS },
          role: roleSchema,
          account: { type: "string", nullable: true, description: "The only accessible account; null for all accounts." },
          scopes: {
            type: "array",
            nullable: true,
            items: { type: "string", enum: SCOPES },
            description: "The scopes of the access token; null for all permissions of the role.",
          },
          person: {
            ...personSchema,
            title: "MePerson",
            nullable: true,
            description: "The person; null for the operator token, which belongs to nobody, and for the access token of a service.",
          },
          service: { type: "string", nullable: true, description: "The service identity of the access token, if it has one." },
        },
      },
    },
    run({ actor: { id, personId, sessionId, role, accountId, scopes } }) {
      const credential: (typeof CREDENTIALS)[number] = sessionId !== null ? "session" : scopes !== null ? "access_token" : "operator_token";
      const person = personId === null ? null : viewPerson(platform.people.find(personId)!);
      const service = serviceOf({ personId: id }) ?? null;
      return { credential, role, account: accountId, scopes, person, service };
    },
  });
}
