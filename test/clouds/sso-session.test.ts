import { expect, test } from "bun:test";
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { CloudClock } from "../../src/upstreams/identities/cloud-clock.ts";
import { AwsCredentials } from "../../src/upstreams/identities/aws/aws-credentials.ts";
import { AwsWorld, REGION } from "./aws-scenarios.ts";
import { SSO_ACCOUNT, SSO_ROLE } from "./sso-server.ts";

const CONFIG = `[profile work]\nsso_session = corp\nsso_account_id = ${SSO_ACCOUNT}\nsso_role_name = ${SSO_ROLE}
[sso-session corp]\nsso_start_url = https://corp.awsapps.com/start\nsso_region = us-east-1\n`;

interface SsoWorld extends AsyncDisposable {
  readonly world: AwsWorld;
  /** The path of the cache file. */
  readonly path: string;
  readonly obtain: () => Promise<string | undefined>;
}

function start(lifetimeMs: number): SsoWorld {
  const world = new AwsWorld();
  const cache = world.ssoCache("corp", lifetimeMs);
  const environment = world.environment({}, { ".aws/config": CONFIG, ...cache });
  const home = environment["HOME"]!;
  const identity = { kind: "aws", region: REGION, keys: undefined, profile: "work", role: undefined } as const;
  const credentials = new AwsCredentials(identity, readCloudVariables(environment), new CloudClock());
  return {
    world,
    path: join(home, Object.keys(cache)[0]!),
    obtain: async () => world.cloud.ownerOf((await credentials.obtain(new Cancellation())).credentials.accessKeyId),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      rmSync(home, { recursive: true });
    },
  };
}

test("a refreshed session is in the cache for the next refresh, and for the AWS command line", async () => {
  await using started = start(-1000);
  const { world, path, obtain } = started;
  expect(await obtain()).toBe("sso");
  const cached = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
  expect(cached).toMatchObject({
    accessToken: "access-2",
    refreshToken: "refresh-2",
    clientId: "client-1",
    clientSecret: "client-secret-1",
  });
  expect(Date.parse(cached["expiresAt"]!)).toBeGreaterThan(Date.now());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toHaveLength(1);
  expect(await obtain()).toBe("sso");
  expect(world.sso.oidc.requests).toEqual(["POST /token"]);
});

test("a refresh token is used once for all that wait", async () => {
  await using started = start(-1000);
  const { world, obtain } = started;
  expect(await Promise.all([obtain(), obtain(), obtain()])).toEqual(["sso", "sso", "sso"]);
  expect(world.sso.oidc.requests).toEqual(["POST /token"]);
});

test("a session that another process has refreshed meanwhile is used", async () => {
  await using started = start(-1000);
  const { world, path, obtain } = started;
  const cached = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...cached, refreshToken: "used" }));
  const requests = world.sso.oidc.requests as string[];
  requests.push = (request: string) => {
    writeFileSync(path, JSON.stringify(world.sso.login(3_600_000)));
    return Array.prototype.push.call(requests, request);
  };
  expect(await obtain()).toBe("sso");
  expect(requests).toHaveLength(1);
});

test("a session that is about to end is used where it cannot be refreshed", async () => {
  await using started = start(60_000);
  const { oidc } = started.world.sso;
  oidc.isDown = true;
  expect(await started.obtain()).toBe("sso");
  expect(oidc.requests).toEqual(["POST /token"]);
  await oidc[Symbol.asyncDispose]();
  expect(await started.obtain()).toBe("sso");
});

test("a session that was ended asks for a new one", async () => {
  await using started = start(3_600_000);
  started.world.sso.endSessions();
  const [outcome] = await Promise.allSettled([started.obtain()]);
  expect(outcome.status === "rejected" && outcome.reason).toMatchObject({
    reason: "expired",
    message: "the SSO session of the profile work is over: run aws sso login --profile work",
  });
});
