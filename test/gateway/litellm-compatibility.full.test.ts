import { afterAll, expect, test } from "bun:test";
import { chatBody } from "../money/post-chat.ts";
import { untilServing } from "../support/gateway/gateway-processes.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";

const upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
const yaml = `compatibility: litellm\n${configFor(upstream.baseUrl, ["good"])}`;
const gateway = await startGateway({ yaml, env: { TOLLGATE_PROCESSES: "2" } });

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

test("gateway processes serve LiteLLM's paths and headers, too", async () => {
  await untilServing(gateway, 2);
  const { key } = await gateway.makeKey();
  const headers = { "api-key": key, "content-type": "application/json" };
  const reply = await fetch(new URL("/chat/completions", gateway.baseUrl), { method: "POST", headers, body: chatBody("good") });
  expect(reply.status).toBe(200);
  await reply.arrayBuffer();
});
