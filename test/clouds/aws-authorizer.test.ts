import { expect, test } from "bun:test";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { toByteText } from "../../src/lib/text/byte-text.ts";
import type { AwsIdentity } from "../../src/models/identities/identity.ts";
import { DEFAULT_TIMEOUTS } from "../../src/models/timeouts.ts";
import { Destination } from "../../src/upstreams/egress/destination.ts";
import { AwsAuthorizer } from "../../src/upstreams/identities/aws/aws-authorizer.ts";
import { sendAuthorized } from "../../src/upstreams/send-authorized.ts";
import { SentCredentials } from "../../src/upstreams/sent-credentials.ts";
import { eventually } from "../support/eventually.ts";
import { AwsCloud } from "./aws-cloud.ts";
import { AwsWorld, EXTERNAL_ID, REGION, roleArn, USER } from "./aws-scenarios.ts";
import { startBedrock } from "./bedrock-server.ts";
import { FakeClock } from "./fake-clock.ts";

const MINUTE = 60_000;
const OF_MACHINE: AwsIdentity = { kind: "aws", region: REGION, keys: undefined, profile: undefined, role: undefined };
const KEYS = { accessKeyId: USER, secretAccessKey: new Secret(`secret/of+${USER}`), sessionToken: undefined };

type Server = ReturnType<typeof startBedrock>;

async function ask(
  server: Server,
  authorizer: AwsAuthorizer,
  path = "/model/m/converse",
  body: string | undefined = '{"é":1}',
): Promise<number> {
  const reply = await sendAuthorized(
    {
      destination: new Destination({ baseUrl: `${server.url}/base`, allowPrivate: true }),
      path,
      headers: { accept: "application/json", traceparent: "00-1-2-03" },
      ...(body !== undefined && { body: [toByteText(body.slice(0, 2)), toByteText(body.slice(2))] }),
      signal: new AbortController().signal,
      timeouts: DEFAULT_TIMEOUTS,
      streaming: false,
    },
    authorizer,
    new SentCredentials(),
  );
  await reply.text();
  return reply.status;
}

test.each(["us-east-1", "us-gov-west-1", "cn-north-1"])(
  "requests to %s have a signature that the official signer confirms",
  async (region) => {
    await using world = new AwsWorld();
    await using bedrock = startBedrock(world.cloud, region);
    const authorizer = new AwsAuthorizer({ ...OF_MACHINE, region, keys: KEYS }, {});
    const paths = [
      "/model/anthropic.claude-v1%3A0/converse",
      "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Feu.m/converse-stream",
      "/inference-profiles?maxResults=10&nextToken=a%2Fb%3D%3D&type=SYSTEM_DEFINED",
    ];
    for (const path of paths) expect(await ask(bedrock, authorizer, path)).toBe(200);
    expect(await ask(bedrock, authorizer, paths[2], undefined)).toBe(200);
    expect(bedrock.callers).toEqual([USER, USER, USER, USER]);
    expect(authorizer.state).toMatchObject({
      source: "the access key of the upstream",
      expiresAtMs: undefined,
      failure: undefined,
      clockSkewMs: 0,
    });

    const other = new AwsAuthorizer({ ...OF_MACHINE, region: "eu-west-1", keys: KEYS }, {});
    expect(await ask(bedrock, other)).toBe(403);
  },
);

test("a role is assumed with its external id and session name, and its keys are redacted", async () => {
  await using world = new AwsWorld();
  await using bedrock = startBedrock(world.cloud, REGION);
  const role = { arn: roleArn("guarded"), externalId: new Secret(EXTERNAL_ID), sessionName: "me@work" };
  const authorizer = new AwsAuthorizer({ ...OF_MACHINE, keys: KEYS, role }, readCloudVariables(world.endpoints));
  expect(await ask(bedrock, authorizer)).toBe(200);
  expect(bedrock.callers).toEqual([`${roleArn("guarded")} by ${USER}`]);
  expect(world.sts.sessionNames).toEqual(["me@work"]);
  expect(authorizer.state.source).toBe(`the role ${roleArn("guarded")}, assumed with the access key of the upstream`);
  const authorization = await authorizer.authorize({ method: "GET", host: "h", target: "/", headers: {}, body: undefined });
  expect(authorization.redactFrom("signed with secret+of/1 and session/token+1==")).toBe("signed with [secret] and [secret]");
});

test.each([10 * MINUTE, -10 * MINUTE, 25 * 60 * MINUTE])("a clock that is off by %d ms is corrected by AWS's clock", async (skewMs) => {
  await using world = new AwsWorld();
  await using bedrock = startBedrock(world.cloud, REGION);
  world.cloud.skewMs = skewMs;
  const authorizer = new AwsAuthorizer({ ...OF_MACHINE, keys: KEYS }, {});
  expect(await ask(bedrock, authorizer)).toBe(200);
  expect(await ask(bedrock, authorizer)).toBe(200);
  // Rejected, retried, and then accepted.
  expect(bedrock.requests).toHaveLength(3);
  expect(Math.abs(authorizer.state.clockSkewMs - skewMs)).toBeLessThan(MINUTE);

  const role = { arn: roleArn("open"), externalId: undefined, sessionName: undefined };
  const withRole = new AwsAuthorizer({ ...OF_MACHINE, keys: KEYS, role }, readCloudVariables(world.endpoints));
  expect(await ask(bedrock, withRole)).toBe(200);
  // STS rejected the request once; nothing rejected it afterwards.
  expect([world.sts.requests.length, bedrock.requests.length]).toEqual([2, 4]);
  const remainingMs = withRole.state.expiresAtMs! - Date.now();
  expect(Math.abs(remainingMs - world.cloud.lifetimeMs)).toBeLessThan(MINUTE);
});

test("a rejection that has nothing to do with the clock or the keys is not retried", async () => {
  await using world = new AwsWorld();
  await using bedrock = startBedrock(world.cloud, REGION);
  const authorizer = new AwsAuthorizer({ ...OF_MACHINE, keys: { ...KEYS, secretAccessKey: new Secret("wrong") } }, {});
  expect(await ask(bedrock, authorizer)).toBe(403);
  expect(bedrock.requests).toHaveLength(1);
});

test("keys that were revoked early are replaced", async () => {
  const clock = new FakeClock();
  await using world = new AwsWorld(new AwsCloud(() => clock.nowMs()));
  await using bedrock = startBedrock(world.cloud, REGION);
  const authorizer = new AwsAuthorizer(OF_MACHINE, readCloudVariables(world.endpoints), clock);
  expect(await ask(bedrock, authorizer)).toBe(200);
  await clock.advance(2 * MINUTE);
  world.cloud.revoke("ASIA0000000000000001");
  expect(await ask(bedrock, authorizer)).toBe(200);
  expect([world.cloud.issued, bedrock.requests.length]).toEqual([2, 3]);
});

test("under load, keys expire five times and no request fails", async () => {
  const clock = new FakeClock();
  await using world = new AwsWorld(new AwsCloud(() => clock.nowMs()));
  await using bedrock = startBedrock(world.cloud, REGION);
  const authorizer = new AwsAuthorizer(OF_MACHINE, readCloudVariables(world.endpoints), clock);
  const statuses = new Map<number, number>();
  for (let minute = 0; minute < 300; minute++) {
    const asked = Array.from({ length: 4 }, () => ask(bedrock, authorizer));
    await clock.advance(MINUTE);
    for (const status of await Promise.all(asked)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([[200, 1200]]);
  // Credentials are replaced every 48 minutes, whatever the number of requests; none was rejected and retried.
  expect(world.cloud.issued).toBeGreaterThan(5);
  expect(world.cloud.issued).toBeLessThan(10);
  expect(bedrock.requests).toHaveLength(1200);
});

test("while the metadata service is down, keys are used until they expire; then requests fail, and recover with it", async () => {
  const clock = new FakeClock();
  await using world = new AwsWorld(new AwsCloud(() => clock.nowMs()));
  await using bedrock = startBedrock(world.cloud, REGION);
  const authorizer = new AwsAuthorizer(OF_MACHINE, readCloudVariables(world.endpoints), clock);
  expect(await ask(bedrock, authorizer)).toBe(200);
  world.metadata.isDown = true;
  await clock.advance(59 * MINUTE);
  await eventually(
    () => authorizer.state.failure,
    (failure) => failure !== undefined,
  );
  expect(await ask(bedrock, authorizer)).toBe(200);

  await clock.advance(MINUTE);
  const [refused] = await Promise.allSettled([ask(bedrock, authorizer)]);
  expect(refused.status === "rejected" && refused.reason).toMatchObject({
    code: "no_upstream_available",
    detail: "no credentials: the EC2 metadata service refused a session (IMDSv2) with status 503",
  });
  expect(bedrock.requests).toHaveLength(2);

  world.metadata.isDown = false;
  await clock.advance(2 * MINUTE);
  expect(await ask(bedrock, authorizer)).toBe(200);
  expect(authorizer.state).toMatchObject({ source: "the role gateway-role of this EC2 instance", failure: undefined });
});
