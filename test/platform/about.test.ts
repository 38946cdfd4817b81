import { afterAll, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { firstOperator, invite } from "../people/visitor.ts";
import { openPlatform, OPERATOR } from "../support/gateway/platform-in-process.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { ROOT, startGateway } from "../support/gateway/start-gateway.ts";

const gateway = await startGateway();
afterAll(() => gateway.stop());

interface About {
  readonly version: string;
  readonly commit: string | null;
  readonly gateway_url: string;
  readonly providers: readonly Record<string, unknown>[];
}

test("returns the version and the gateway's base URL to every signed-in person", async () => {
  const ada = await firstOperator(gateway.platformUrl, gateway.signInUrl!);
  const { visitor: bob } = await invite(ada, gateway.platformUrl, { email: "bob@example.test" });
  const { text } = await bob.call("GET", "/api/about");
  expect(JSON.parse(text)).toMatchObject({ version, gateway_url: gateway.baseUrl, request_log_days: 30 });
  expect((await fetch(`${gateway.platformUrl}/api/about`)).status).toBe(401);
});

test("tells the builds of a version apart: API, metric and command name the same commit of a clone", async () => {
  const isClone = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: ROOT, stderr: "ignore" }).success;
  const { commit } = await gateway.platform<About>("GET", "/api/about");
  if (isClone) expect(commit).toMatch(/^[0-9a-f]{12}(-dirty)?$/);
  const metrics = await fetch(`${gateway.platformUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
  expect(await metrics.text()).toContain(`tollgate_build_info{version="${version}",commit="${commit ?? "unknown"}"} 1\n`);
  expect(JSON.parse((await runTollgate(gateway, ["version", "--json"])).stdout)).toMatchObject({ version, commit });
});

test("returns a provider with the settings to create an upstream", async () => {
  const { providers } = await gateway.platform<About>("GET", "/api/about");
  const find = (id: string): unknown => providers.find((each) => each["id"] === id);
  expect(find("openai")).toEqual({
    id: "openai",
    name: "OpenAI",
    dialect: "openai",
    base_url: "https://api.openai.com/v1",
    needs_credential: true,
    variable: "OPENAI_API_KEY",
    note: null,
  });
  expect(find("azure")).toMatchObject({
    base_url: "https://{resource}.openai.azure.com/openai/v1",
    note: "Replace {resource} in the base URL with your own. It does not list its models: enter their names yourself.",
  });
  expect(find("vertex")).toMatchObject({ variable: null, note: expect.stringContaining("{location} and {project}") as string });
  expect(find("ollama")).toMatchObject({ needs_credential: false, note: expect.stringContaining("your own machine") as string });
});

test("an upstream can be created from every listed provider", async () => {
  const { providers } = await gateway.platform<About>("GET", "/api/about");
  const platform = await openPlatform();
  for (const { id, dialect, base_url: address, needs_credential: needsCredential } of providers) {
    const body = {
      id,
      preset: id,
      dialect,
      base_url: String(address).replaceAll(/\{\w+\}/g, "mine"),
      ...(needsCredential === true && { credential: "a-credential-for-it" }),
    };
    const { status, text } = await platform.call(OPERATOR, "createUpstream", { body });
    expect([id, status, text]).toEqual([id, 201, expect.any(String) as string]);
  }
  await platform.stop();
});

test("returns the public base URL with a single /v1 when one is configured", async () => {
  for (const given of ["https://models.example.test/llm", "https://models.example.test/llm/v1/"]) {
    const published = await startGateway({ env: { TOLLGATE_GATEWAY_URL: given } });
    try {
      expect(published.baseUrl).toBe("https://models.example.test/llm/v1");
      const about = await published.platform<About>("GET", "/api/about");
      expect(about.gateway_url).toBe("https://models.example.test/llm/v1");
    } finally {
      await published.stop();
    }
  }
}, 300_000);
