import { expect, test } from "bun:test";
import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { groupByConversation, isConversation, keyOfRow } from "./conversations.ts";

function request(id: string, conversation: string | null, more: Partial<LoggedRequest> = {}): LoggedRequest {
  const at = `2027-01-31T12:00:0${id}.000Z`;
  return {
    request_id: id,
    account: "acme",
    conversation,
    cost: "0.1",
    outcome: "complete",
    started_at: at,
    ended_at: at,
    ...more,
  } as LoggedRequest;
}

const REQUESTS = [
  request("9", "c1", { cost: "0.000000001" }),
  request("8", null),
  request("7", "c2"),
  request("6", "c1", { cost: null, outcome: "failed" }),
  request("5", "c1", { account: "beta" }),
  request("4", "c1", { cost: "0.2" }),
];

test("collapses the requests of a conversation, with their number, cost and span", () => {
  const rows = groupByConversation(REQUESTS, new Set());
  expect(rows.map((row) => (isConversation(row) ? row.requests : row.request_id))).toEqual([3, "8", "7", "5"]);
  expect(rows[0]).toMatchObject({
    conversation: "c1",
    account: "acme",
    failed: 1,
    cost: "0.200000001",
    startedAt: "2027-01-31T12:00:04.000Z",
    endedAt: "2027-01-31T12:00:09.000Z",
    isOpen: false,
  });
});

test("an open conversation is followed by its requests", () => {
  const [head] = groupByConversation(REQUESTS, new Set());
  const rows = groupByConversation(REQUESTS, new Set([keyOfRow(head!)]));
  expect(rows.slice(1).map(keyOfRow)).toEqual(["9", "6", "4", "8", "7", "5"]);
  expect(rows.map((row) => "isInConversation" in row)).toEqual([false, true, true, true, false, false, false]);
});
