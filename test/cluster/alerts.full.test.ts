import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBadReceiver, type BadReceiver } from "../alerts/receiver.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { createKey } from "./billed-in-full.ts";

describe.skipIf(!hasPostgres)("alerts on requests that other processes serve", () => {
  let upstream: MockUpstream;
  let cluster: Cluster;
  let platform: RunningGateway;
  let gateway: RunningGateway;
  let receiver: BadReceiver;

  beforeAll(async () => {
    receiver = await startBadReceiver();
    upstream = startMockUpstream({
      "up-quick": () => Response.json(completion()),
      "up-broken": () => new Response("broken", { status: 500 }),
    });
    cluster = await startCluster(0, { yaml: configFor(upstream.baseUrl, ["quick", "broken"]) });
    platform = await cluster.add({ env: { TOLLGATE_ROLE: "platform" } });
    gateway = await cluster.add({ env: { TOLLGATE_ROLE: "gateway" } });
    await platform.platform("POST", "/api/webhooks", { name: "alerts", url: `${receiver.origin}/fine/0/alerts`, allow_private: true });
  });

  afterAll(async () => {
    await cluster?.stop();
    await upstream?.stop();
    await receiver?.stop();
  });

  function untilReceived(...words: readonly string[]): Promise<unknown> {
    return eventually(
      () => receiver.seen("/fine/0/alerts"),
      (all) => all.some(({ body }) => words.every((word) => body.includes(word))),
    );
  }

  test("are raised where a request is rejected for lack of credit", async () => {
    const { key } = await createKey(platform, "poor", 1000n);
    const { code } = await postUntilVerified(() => postChat(gateway, key, chatBody("quick", { max_tokens: 1000 })));
    expect(code).toBe("insufficient_credits");
    await untilReceived("credit.low", '"poor"');
  });

  test("are raised where a route is ejected, and all platforms show it", async () => {
    const { key } = await createKey(platform, "rich", 10n ** 11n);
    await eventually(
      async () => {
        await postChat(gateway, key, chatBody("broken"));
        return receiver.seen("/fine/0/alerts");
      },
      (all) => all.some(({ body }) => body.includes("upstream.ejected") && body.includes("up-broken")),
    );
    await eventually(
      () => platform.platform<object>("GET", "/api/upstreams/mock/health"),
      (health) => JSON.stringify(health).includes("up-broken"),
    );
  });
});
