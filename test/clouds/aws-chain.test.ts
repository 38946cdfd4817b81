import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import type { AwsIdentity } from "../../src/models/identities/identity.ts";
import { CloudClock } from "../../src/upstreams/identities/cloud-clock.ts";
import { AwsCredentials } from "../../src/upstreams/identities/aws/aws-credentials.ts";
import { AwsWorld, REGION, SCENARIOS } from "./aws-scenarios.ts";

const OF_MACHINE: AwsIdentity = { kind: "aws", region: REGION, keys: undefined, profile: undefined, role: undefined };

const world = new AwsWorld();
const environments = [0, 1].map(() =>
  SCENARIOS.map(({ variables, files }) => world.environment(variables?.(world) ?? {}, files?.(world) ?? {})),
);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  for (const { HOME } of environments.flat()) rmSync(HOME!, { recursive: true });
});

const expected = SCENARIOS.map(({ name, owner }) => [name, owner]);

test(`the chain takes the credentials of ${SCENARIOS.length} machines in the documented order`, async () => {
  const found: unknown[] = [];
  for (const [at, environment] of environments[0]!.entries()) {
    const credentials = new AwsCredentials(OF_MACHINE, readCloudVariables(environment), new CloudClock());
    const outcome = await credentials.obtain(new Cancellation()).then(
      (obtained) => world.cloud.ownerOf(obtained.credentials.accessKeyId),
      (error: unknown) => String(error),
    );
    found.push([SCENARIOS[at]!.name, outcome]);
  }
  expect(found).toEqual(expected);
});

test("the official chain takes the same", async () => {
  const program = Bun.spawn([process.execPath, join(import.meta.dir, "official-chain.ts")], {
    stdin: new Response(JSON.stringify(environments[1])),
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"]! },
  });
  const found = (await new Response(program.stdout).json()) as string[];
  expect(found.map((id, at) => [SCENARIOS[at]!.name, world.cloud.ownerOf(id) ?? id])).toEqual(expected);
  expect(await program.exited).toBe(0);
}, 200_000);
