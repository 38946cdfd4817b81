import { afterAll, beforeAll, expect, test } from "bun:test";
import { waitFor } from "../support/gateway/start-gateway.ts";
import { FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig } from "./routed-gateway.ts";

const plain = new FlakyUpstream("plain");
let routed: RoutedGateway;

beforeAll(async () => {
  const more = { headers: { "X-Team": "${TEAM}", "x-both": "of-upstream" }, organization: "org-1", project: "proj-1" };
  const upstream = { id: plain.id, port: plain.port, more };
  const models = [
    { id: "with", routes: [{ upstream: "plain", model: "m", headers: { "x-both": "of-route-canary", "x-route": "${ROUTE}" } }] },
    { id: "without", routes: [{ upstream: "plain", model: "m" }] },
  ];
  routed = await RoutedGateway.start(routesConfig([upstream], models), { TEAM: "team-canary-1", ROUTE: "route-canary-2" });
});
afterAll(async () => {
  await routed.stop();
  await plain.stop();
});

const sentNames = ["x-team", "x-both", "x-route", "openai-organization", "openai-project", "authorization"];

async function sent(model: string, stream: boolean): Promise<(string | null)[]> {
  expect((await routed.ask(model, { stream, headers: { "x-team": "of-caller", "openai-project": "of-caller" } })).status).toBe(200);
  return sentNames.map((name) => plain.requests.at(-1)!.headers.get(name));
}

test("headers of upstream and route, organization and project are sent, the route's headers first", async () => {
  const common = ["org-1", "proj-1", "Bearer credential-of-plain"];
  expect(await sent("with", false)).toEqual(["team-canary-1", "of-route-canary", "route-canary-2", ...common]);
  expect(await sent("without", true)).toEqual(["team-canary-1", "of-upstream", null, ...common]);
});

test("no error, log line or reply of the platform has a value", async () => {
  plain.does = ({ headers }) =>
    Response.json({ error: { message: `bad ${headers.get("x-team")} ${headers.get("x-route")}` } }, { status: 400 });
  const reply = await routed.ask("with");
  expect([reply.status, reply.text.includes("canary")]).toEqual([400, false]);
  plain.does = rejectsWith(500);
  const { requestId } = await routed.ask("with");
  const { gateway } = routed;
  await waitFor(() => gateway.logLines().some((line) => line["request_id"] === requestId));
  const model = await gateway.platform<{ routes: unknown[] }>("GET", "/api/models/with");
  const upstream = await gateway.platform<Record<string, unknown>>("GET", "/api/upstreams/plain");
  expect(model.routes[0]).toMatchObject({ headers: ["x-both", "x-route"] });
  expect(upstream).toMatchObject({ headers: ["x-both", "x-team"], organization: "org-1", project: "proj-1" });
  const audited = await gateway.platform("GET", "/api/audit-log");
  expect(JSON.stringify([model, upstream, audited]) + gateway.output()).not.toContain("canary");
});
