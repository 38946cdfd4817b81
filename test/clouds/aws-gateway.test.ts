import { expect, test } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { ask } from "../streams/ask.ts";
import { AwsWorld, REGION } from "./aws-scenarios.ts";
import { startBedrock } from "./bedrock-server.ts";

/** Tests a gateway whose process environment has the variables of AWS, as on an EC2 instance or in a container. */

test("a gateway uses the role of its instance until it expires, answers 503 without it, and recovers", async () => {
  await using world = new AwsWorld();
  await using bedrock = startBedrock(world.cloud, REGION);
  world.cloud.lifetimeMs = 4_000;
  const gateway = await startGateway({
    yaml: `upstreams:
  - { id: bedrock, dialect: openai, base_url: "${bedrock.url}/openai/v1", allow_private: true, aws: { region: ${REGION} } }
models:
  - { id: m, routes: [{ upstream: bedrock, model: some.model-v1:0 }], price: ${TEST_PRICE} }
`,
    env: world.endpoints,
  });
  try {
    const { key } = await gateway.makeKey();
    const status = async (): Promise<number> => (await ask(gateway, key, "m", false)).status;
    // On a machine that stalls, the first keys may have expired when they are used.
    await eventually(status, (seen) => seen === 200);
    expect(new Set(bedrock.callers)).toEqual(new Set(["instance"]));
    expect(bedrock.requests[0]).toBe("POST /openai/v1/chat/completions");

    // The keys are replaced in the background.
    const issued = world.cloud.issued;
    await eventually(status, (seen) => seen === 200 && world.cloud.issued > issued);

    world.metadata.isDown = true;
    await eventually(status, (seen) => seen === 503);
    world.metadata.isDown = false;
    await eventually(status, (seen) => seen === 200);
  } finally {
    await gateway.stop();
  }
}, 200_000);
