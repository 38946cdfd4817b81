import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";

test("an identity that fails is in the log and in the metrics before its first request", async () => {
  const gateway = await startGateway({
    yaml: `upstreams:
  - { id: vertex, preset: vertex-gemini, google: { project: acme-prod, location: global, credentials_file: /nope/sa.json } }
models:
  - { id: gemini-2.5-pro, routes: [{ upstream: vertex, model: gemini-2.5-pro }] }
`,
  });
  try {
    const logged = await eventually(
      () => gateway.logLines().find(({ event }) => event === "identity_failed"),
      (line) => line !== undefined,
    );
    expect(logged).toMatchObject({ level: "warn", message: expect.stringContaining("/nope/sa.json") as string });
    const health = await gateway.platform<{ identity: object }>("GET", "/api/upstreams/vertex/health");
    expect(health.identity).toMatchObject({ source: null, failure: expect.stringContaining("/nope/sa.json") as string });
  } finally {
    await gateway.stop();
  }
});
