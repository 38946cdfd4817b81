import { operators } from "../../../access/access.ts";
import type { Role } from "../../../access/person.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { personSchema, roleSchema, viewPerson } from "./person-view.ts";

interface PeopleQuery extends PageQuery {
  readonly search?: string;
  readonly role?: Role;
  readonly account?: string;
}

/** GET /api/people: a page of people, newest first. */
export function listPeople(platform: Platform): Operation {
  return operation<undefined, PeopleQuery>({
    method: "GET",
    path: "/api/people",
    access: operators("people:read"),
    operationId: "listPeople",
    summary: "List people, newest first",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "People whose name or email contains this text." },
      role: { ...roleSchema, description: "People with this role." },
      account: { type: "string", description: "Members of one account." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of people.", json: pageSchema("PersonPage", personSchema) },
    async run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number", "string"]);
      const filter = { search: query.search, role: query.role, accountId: query.account };
      const people = await platform.people.page(filter, after && { createdAtMs: after[0], id: after[1] }, limit + 1);
      return toPage(cursors, people, limit, viewPerson, (person) => [person.createdAtMs, person.id]);
    },
  });
}
