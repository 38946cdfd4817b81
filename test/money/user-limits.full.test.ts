import { afterAll, beforeEach, expect, test } from "bun:test";
import { gatewayPids, startProcesses } from "../support/gateway/gateway-processes.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { postFresh } from "../processes/post-fresh.ts";
import { Gate } from "./gate.ts";
import { expectTooMany, remaining } from "./limit-replies.ts";
import { chatBody, type Reply } from "./post-chat.ts";

const gate = new Gate();
const upstream = startMockUpstream({
  "up-quick": () => Response.json(completion()),
  async "up-held"() {
    await gate.pass();
    return Response.json(completion());
  },
});
const gateway = await startProcesses({ yaml: configFor(upstream.baseUrl, ["quick", "held"]) });
await gateway.makeKey();

afterAll(async () => {
  gate.open();
  await gateway.stop();
  await upstream.stop();
});
beforeEach(() => gate.close());

const makeKey = async (more: object = {}): Promise<string> => (await gateway.makeKey(["*"], more)).key;

function post(key: string, user: string | undefined, { model = "quick", tags = "" } = {}): Promise<Reply> {
  return postFresh(
    gateway,
    key,
    chatBody(model, { max_tokens: 50, ...(user !== undefined && { user }) }),
    tags ? { "x-tollgate-tags": tags } : {},
  );
}

test("requests per minute of each end user of a key are exact over all processes, and say nothing of the others", async () => {
  expect((await gatewayPids(gateway)).length).toBeGreaterThan(1);
  const key = await makeKey({ limits: { per_user: { requests_per_minute: 3 } } });
  const users = ["ada", "bob", undefined].flatMap((user) => Array.from({ length: 5 }, () => user));
  const replies = await Promise.all(users.map(async (user) => ({ user, reply: await post(key, user) })));
  expect(replies.filter(({ reply }) => reply.status === 200)).toHaveLength(9);
  for (const { user, reply } of replies.filter(({ reply: { status } }) => status !== 200)) {
    const whose = user ? "This end user on this key has reached its" : "Requests without an end user on this key have reached their";
    expectTooMany(reply, `${whose} limit of 3 requests per minute.`);
    expect(reply.text).not.toMatch(/ada|bob/);
  }
  const fresh = await post(key, "carol");
  expect([fresh.status, fresh.headers.get("x-ratelimit-limit-requests"), remaining(fresh, "requests")]).toEqual([200, "3", 2]);
});

test("an account's limit of a tag counts a value over all of its keys, and a dry run reports it", async () => {
  const [one, other] = [await makeKey(), await makeKey()];
  await gateway.platform("PATCH", "/api/accounts/default", { limits: { per_tag: { team: { concurrent_requests: 1 } } } });
  const held = post(one, "ada", { model: "held", tags: "team=search" });
  await gate.holds(1);
  expectTooMany(
    await post(other, "bob", { tags: "team=search" }),
    "The tag team=search on this account has reached its limit of 1 concurrent request.",
  );
  expect((await post(other, "bob", { tags: "team=ads" })).status).toBe(200);
  gate.open();
  expect((await held).status).toBe(200);
  await gateway.platform("PATCH", "/api/accounts/default", { limits: { per_tag: null } });
});
