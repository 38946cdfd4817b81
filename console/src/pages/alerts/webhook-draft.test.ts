import { expect, test } from "bun:test";
import type { Webhook } from "../../../../platform-client/types.ts";
import { changesTo } from "../../platform/changes.ts";
import { draftOf, NEW_WEBHOOK, toRequest } from "./webhook-draft.ts";

const COMMON = { name: "n", allow_private: false, alerts: null };

test.each([
  ["webhook", { url: " https://a.example/ " }, { url: "https://a.example/" }],
  ["email", { url: "a@b.example, c@d.example" }, { url: "mailto:a@b.example,c@d.example" }],
  ["pagerduty", { routingKey: " key " }, { routing_key: "key" }],
] as const)("the form of %s", (kind, typed, expected) => {
  expect(toRequest({ ...NEW_WEBHOOK, kind, name: "n", ...typed })).toEqual({ ...COMMON, kind, ...expected });
});

test.each([
  ["webhook", "https://a.example/"],
  ["slack", "https://hooks.slack.com/…"],
  ["email", "mailto:a@b.example,c@d.example"],
  ["pagerduty", "https://events.pagerduty.com/v2/enqueue"],
] as const)("an edited webhook of the kind %s has no changes before something is typed", (kind, url) => {
  const webhook = { id: "w", kind, url, ...COMMON } as unknown as Webhook;
  expect(changesTo(webhook, toRequest(draftOf(webhook)))).toEqual({});
});
