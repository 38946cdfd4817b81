import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findPerson } from "./find-person.ts";
import { personSchema, viewPerson } from "./person-view.ts";

/** GET /api/people/:id: a person. */
export function showPerson(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/people/:id",
    access: operators("people:read"),
    operationId: "showPerson",
    summary: "Show a person",
    reply: { status: 200, description: "The person.", json: personSchema },
    run: ({ param }) => viewPerson(findPerson(param("id"), platform)),
  });
}
