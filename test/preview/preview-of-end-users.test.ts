import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import type { Attribution } from "../../src/money/attribution.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { DAY_MS, hold, NOW, settlement } from "../support/money/ledger-samples.ts";

const HOUR_MS = 3_600_000;
const [ADA, BOB, CAROL] = ["ada", "bob", "carol"].map((user): Attribution => ({ user, tags: { team: user === "bob" ? "ops" : "search" } }));
let open: PlatformInProcess;
let keyId: string;
let requests = 0;

/** Each charge is a thousandth of a dollar. */
async function charge(attribution: Attribution | undefined, atMs: number): Promise<void> {
  const requestId = `r${++requests}`;
  await open.stores.ledger.hold(hold(requestId, 1_000_000n, { keyId, attribution, atMs }));
  await open.stores.ledger.settle(requestId, settlement(1_000_000n, { atMs }));
}

beforeAll(async () => {
  open = await openPlatform();
  await open.call(OPERATOR, "createAccount", { body: { id: "acme", name: "Acme" } });
  const { body } = await open.call(OPERATOR, "createKey", { body: { name: "k", account: "acme", models: ["*"] } });
  keyId = String(body["id"]);
  spyOn(open.platform, "nowMs").mockReturnValue(NOW);
  const fromMs = NOW - 7 * DAY_MS;
  // A charge before the range, on the same day as the other charges.
  await charge(ADA, fromMs - 2 * HOUR_MS);
  for (const user of [ADA, ADA, ADA, BOB, CAROL, CAROL, undefined]) await charge(user, fromMs + 1);
});

afterAll(() => open.stop());

async function preview(operationId: string, id: string, body: object, actor = OPERATOR): Promise<unknown> {
  const reply = await open.call(actor, operationId, { params: { id }, query: "preview=true", body });
  const { requests: all, refused, refused_by: codes, refused_end_users: users, refused_tag_values: values } = reply.body;
  expect(reply.text).not.toContain("ada");
  return [reply.status, all, refused, codes, users, values];
}

test.each([
  ["updateAccount", () => "acme"],
  ["updateKey", () => keyId],
])(
  "the preview of %s has the number of end users and tags whose own caps and limits would have rejected requests",
  async (operation, id) => {
    const of = (body: object): Promise<unknown> => preview(operation, id(), body);
    // Two of ada's three requests are rejected, because of her earlier spend on that day.
    expect(await of({ caps: { per_user: { day: "0.002" } } })).toEqual([200, 7, 2, { budget_exceeded: 2 }, 1, 0]);
    expect(await of({ caps: { per_user: { day: "0.001" } } })).toEqual([200, 7, 4, { budget_exceeded: 4 }, 2, 0]);
    expect(await of({ caps: { per_user: { day: "0.004" } } })).toEqual([200, 7, 0, {}, 0, 0]);
    // The values `search`, `ops` and none.
    expect(await of({ caps: { per_tag: { team: { month: "0.003" } } } })).toEqual([200, 7, 3, { budget_exceeded: 3 }, 0, 1]);
    expect(await of({ limits: { per_user: { requests_per_minute: 1 } } })).toEqual([200, 7, 3, { rate_limit_exceeded: 3 }, 2, 0]);
    expect(await of({ limits: { per_tag: { team: { requests_per_minute: 1 }, env: { requests_per_minute: 2 } } } })).toEqual([
      200,
      7,
      5,
      { rate_limit_exceeded: 5 },
      0,
      2,
    ]);
  },
);

test("a member's preview of a key counts the end users too, and an unchanged cap rejects nothing", async () => {
  const caps = { per_user: { day: "0.002" } };
  expect(await preview("updateKey", keyId, { caps }, memberOf("acme"))).toEqual([200, 7, 2, { budget_exceeded: 2 }, 1, 0]);
  await open.call(OPERATOR, "updateKey", { params: { id: keyId }, body: { caps } });
  expect(await preview("updateKey", keyId, { caps })).toEqual([200, 7, 0, {}, 0, 0]);
});
