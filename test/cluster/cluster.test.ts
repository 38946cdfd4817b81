import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBadReceiver, type BadReceiver, type ReceivedMessage } from "../alerts/receiver.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { configFor, startMockUpstream, type MockUpstream, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { Gate } from "../money/gate.ts";
import { postChat, type Reply } from "../money/post-chat.ts";
import { postFresh } from "../processes/post-fresh.ts";
import type { Delivery } from "../../platform-client/types.ts";
import { billInFull, bodyFor, createKey, holdOf } from "./billed-in-full.ts";
import { countTakeovers } from "./count-takeovers.ts";
import { spendAllCredit } from "./spend-all-credit.ts";

const GATEWAYS = 4;
const REQUESTS = 200;

function post(gateway: RunningGateway, key: string, body: string): Promise<Reply> {
  return postUntilVerified(() => postChat(gateway, key, body));
}

/** The messages about an account. */
function about(received: readonly ReceivedMessage[], account: string): ReceivedMessage[] {
  return received.filter(({ body }) => body.includes(account));
}

describe.skipIf(!hasPostgres)("four gateways on one PostgreSQL database", () => {
  const gate = new Gate();
  let upstream: MockUpstream;
  let cluster: Cluster;
  let first: RunningGateway;
  let receiver: BadReceiver;

  beforeAll(async () => {
    receiver = await startBadReceiver();
    upstream = startMockUpstream({ "up-held": answer, "up-quick": answer });
    cluster = await startCluster(GATEWAYS, { yaml: configFor(upstream.baseUrl, ["held", "quick"]) });
    first = cluster.gateways[0]!;
  });

  afterAll(async () => {
    gate.open();
    await cluster?.stop();
    await upstream?.stop();
    await receiver?.stop();
  });

  async function answer(request: RecordedRequest): Promise<Response> {
    if (request.body["model"] === "up-held") await gate.pass();
    return billInFull(request);
  }

  /** The gateways in turn, to post to. */
  function at(index: number): RunningGateway {
    return cluster.gateways[index % GATEWAYS]!;
  }

  test("a key works everywhere as soon as it is created", async () => {
    const { key } = await createKey(first, "fresh", holdOf("quick") * 1000n);
    const replies = await Promise.all(cluster.gateways.map((gateway) => post(gateway, key, bodyFor("quick"))));
    expect(replies.map(({ status }) => status)).toEqual(cluster.gateways.map(() => 200));
  });

  test("an endpoint that is turned on at one gateway is served by all", async () => {
    const { key } = await createKey(first, "cursor", holdOf("quick") * 1000n);
    // The body of Cursor's agent mode, which chat completions take while the Responses API is on.
    const body = JSON.stringify({ model: "quick", max_tokens: 10, input: "Hello" });
    for (const [enabled, status] of [[true, 200] as const, [false, 400] as const]) {
      await first.platform("PATCH", "/api/endpoints/responses", { enabled });
      await eventually(
        () => Promise.all(cluster.gateways.map((gateway) => post(gateway, key, body))),
        (replies) => replies.every((reply) => reply.status === status),
      );
    }
  });

  test("200 parallel requests on credit for 4 and a credit line for 6 are admitted 10 times", () =>
    spendAllCredit(cluster, upstream, "quick", 6));

  test("a revoked key is refused by every gateway that is connected", async () => {
    const { id, key } = await createKey(first, "revoked", holdOf("quick") * 1000n);
    await first.platform("DELETE", `/api/keys/${id}`);
    for (const gateway of cluster.gateways) {
      await eventually(
        async () => (await post(gateway, key, bodyFor("quick"))).status,
        (status) => status === 401,
      );
    }
  });

  test("a paused key is refused by every gateway, and by none as soon as it is resumed", async () => {
    const { id, key } = await createKey(first, "paused", holdOf("quick") * 1000n);
    await first.platform("PATCH", `/api/keys/${id}`, { paused: true });
    for (const gateway of cluster.gateways) {
      await eventually(
        async () => (await post(gateway, key, bodyFor("quick"))).status,
        (status) => status === 401,
      );
    }
    await first.platform("PATCH", `/api/keys/${id}`, { paused: false });
    const replies = await Promise.all(cluster.gateways.map((gateway) => post(gateway, key, bodyFor("quick"))));
    expect(replies.map(({ status }) => status)).toEqual(cluster.gateways.map(() => 200));
  });

  test("60 per minute is 60", async () => {
    const { key } = await createKey(first, "limited", holdOf("quick") * 1000n, { limits: { requests_per_minute: 60 } });
    const replies = await Promise.all(Array.from({ length: REQUESTS }, (_, index) => post(at(index), key, bodyFor("quick"))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(REQUESTS - 60);
  });

  test("an alert is raised and delivered once", async () => {
    const takeovers = await countTakeovers(cluster, "alerts");
    // Each process polls once a second. The receiver is slow, so that all processes could find the delivery pending before the response.
    const path = "/slow/100/alerts";
    const { id } = await first.platform<{ id: string }>("POST", "/api/webhooks", {
      name: "alerts",
      url: `${receiver.origin}${path}`,
      allow_private: true,
      alerts: ["credit.low"],
    });
    const accounts = ["empty-1", "empty-2"];
    for (const account of accounts) {
      const { key } = await createKey(first, account, holdOf("quick"));
      expect((await post(at(1), key, bodyFor("quick"))).status).toBe(200);
    }
    await eventually(
      () => receiver.seen(path),
      (all) => accounts.every((account) => about(all, account).length > 0),
    );
    const { data: deliveries } = await eventually(
      () => first.platform<{ data: Delivery[] }>("GET", `/api/webhooks/${id}/deliveries`),
      ({ data }) => data.every(({ state }) => state === "delivered"),
    );
    const received = await receiver.seen(path);
    for (const account of accounts) {
      const messages = about(received, account);
      const [messageId] = new Set(messages.map(({ headers }) => headers["webhook-id"]));
      expect(messages.map(({ headers }) => headers["webhook-id"])).toEqual(messages.map(() => messageId));
      // On a machine that stalls for seconds, another process takes over and delivers a second time, or an attempt fails and is repeated.
      const { attempts } = deliveries.find((each) => each.message_id === messageId)!;
      expect(messages.length).toBeLessThanOrEqual(attempts.length + (await takeovers()));
    }
  });

  test("one Idempotency-Key in every gateway at once is one call and one charge", async () => {
    const { key } = await createKey(first, "idempotent", holdOf("held") * 1000n);
    const before = upstream.requests.length;
    const replies = cluster.gateways.map(async (gateway) => {
      const { status, text } = await postFresh(gateway, key, bodyFor("held"), { "idempotency-key": "once" });
      return [status, text] as const;
    });
    await gate.holds(1);
    gate.open();
    const [one, ...others] = await Promise.all(replies);
    expect(one![0]).toBe(200);
    expect(others).toEqual(others.map(() => one!));
    expect(upstream.requests.length - before).toBe(1);
  });
});
