import { operators } from "../../../access/access.ts";
import type { Person } from "../../../access/person.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../../sorted-list.ts";
import { personSchema, roleSchema, viewPerson } from "./person-view.ts";

const SORTS: SortOrders<Person> = {
  created: { valueOf: ({ createdAtMs }) => createdAtMs, direction: "desc" },
  name: { valueOf: ({ name }) => name.toLowerCase(), direction: "asc" },
  email: { valueOf: ({ email }) => email, direction: "asc" },
};

/** GET /api/people: a page of people, newest first. */
export function listPeople(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/people",
    access: operators("people:read"),
    operationId: "listPeople",
    summary: "List people, newest first unless another order is asked for",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "People whose name or email contains this text." },
      role: { ...roleSchema, description: "People with this role." },
      account: { type: "string", description: "Members of one account." },
      ...sortedListQuery("people", Object.keys(SORTS)),
    },
    reply: { status: 200, description: "A page of people.", json: sortedListSchema("PersonPage", personSchema) },
    async run({ query, cursors }) {
      const hasText = searchFor(query.search);
      return sortedPage(query, cursors, {
        items: await platform.people.list(),
        isMatch: ({ name, email, role, accountId, archivedAtMs }) =>
          isListed(query, archivedAtMs) &&
          (query.role === undefined || query.role === role) &&
          (query.account === undefined || query.account === accountId) &&
          hasText(name, email),
        sorts: SORTS,
        viewer: () => viewPerson,
      });
    },
  });
}
