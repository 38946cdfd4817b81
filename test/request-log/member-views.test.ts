import { expect, test } from "bun:test";
import { viewRequest } from "../../src/platform/endpoints/request-view.ts";
import { buildLoggedRequest } from "../../src/stores/request-log/build-logged-request.ts";
import type { Attempt } from "../../src/requests/attempt.ts";
import { endedRequest } from "./ended-requests.ts";
import { attemptAt } from "./ended-samples.ts";

/** The view of a request that was rejected with the detail "words". */
function shownTo(role: "member" | "operator", code: string, attempts: Attempt[]): object {
  const ended = endedRequest({ status: 429, notes: { code, detail: "words", attempts, charge: undefined, keyId: undefined } });
  const keys = { find: () => undefined } as unknown as Parameters<typeof viewRequest>[2]["keys"];
  return viewRequest(
    buildLoggedRequest(ended, (text) => text),
    { role },
    { keys },
    new Map(),
  );
}

test.each(["insufficient_credits", "credits_in_flight", "budget_exceeded", "rate_limit_exceeded"])(
  "a member sees the detail of %s, unless there was an attempt: the detail may be of the upstream",
  (code) => {
    const busy = attemptAt("hidden", 1010, { outcome: "busy" });
    expect(shownTo("member", code, [])).toHaveProperty("detail", "words");
    expect(shownTo("member", code, [busy])).not.toHaveProperty("detail");
    expect(shownTo("operator", code, [busy])).toHaveProperty("detail", "words");
  },
);
