import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Change, ConfigFile, OptionalEndpoint, OptionalEndpointList } from "../../platform-client/types.ts";
import { noteListener } from "../openapi/known-listeners.ts";
import { requestReload, replace } from "../support/gateway/reload-gateway.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";

/** The endpoints that operators turn on and off while the gateway runs. */

let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;

const yamlWith = (more: string): string => `${more}\n${configFor(upstream.baseUrl, ["good"])}`;

async function start(folder?: string): Promise<RunningGateway> {
  const started = await startGateway({ yaml: yamlWith(""), ...(folder !== undefined && { folder }) });
  noteListener("gateway-with-endpoints", started.baseUrl);
  return started;
}

beforeAll(async () => {
  upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
  gateway = await start();
  ({ key } = await gateway.makeKey());
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

beforeEach(async () => {
  replace(gateway, yamlWith(""));
  await requestReload(gateway);
  for (const id of ["messages", "responses"]) await turn(id, false);
});

function turn(id: string, enabled: boolean): Promise<OptionalEndpoint> {
  return gateway.platform<OptionalEndpoint>("PATCH", `/api/endpoints/${id}`, { enabled });
}

const BODIES: Readonly<Record<string, object>> = {
  messages: { model: "good", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] },
  responses: { model: "good", max_output_tokens: 10, input: "Hello" },
  // Cursor's agent mode.
  "chat/completions": { model: "good", max_tokens: 10, input: [{ role: "user", content: "Hello" }] },
};

function post(path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${gateway.baseUrl}/${path}`, { method: "POST", headers, body: JSON.stringify(BODIES[path]) });
}

const statuses = async (): Promise<number[]> => Promise.all(Object.keys(BODIES).map(async (path) => (await post(path)).status));

async function interfaceVersion(): Promise<string> {
  const document = (await (await fetch(`${gateway.platformUrl}/docs/gateway.json`)).json()) as { info: { version: string } };
  return document.info.version;
}

async function hasAnthropicList(): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, "anthropic-version": "2023-06-01" };
  const { data } = (await (await fetch(`${gateway.baseUrl}/models`, { headers })).json()) as { data: object[] };
  return "display_name" in data[0]!;
}

test("an endpoint is served from the change on, with its documents, and no longer after the next", async () => {
  expect([await statuses(), await interfaceVersion(), await hasAnthropicList()]).toEqual([[404, 404, 400], "1.0.0", false]);
  expect(await turn("messages", true)).toEqual({ id: "messages", path: "/v1/messages", enabled: true, managed_by: "operator" });
  expect([await statuses(), await interfaceVersion(), await hasAnthropicList()]).toEqual([[200, 404, 400], "1.2.0", true]);
  await turn("responses", true);
  expect(await statuses()).toEqual([200, 200, 200]);
  await turn("messages", false);
  expect([await statuses(), await interfaceVersion(), await hasAnthropicList()]).toEqual([[404, 200, 200], "1.2.0", false]);
  // Its error has the format of chat completions, as at any unknown path.
  expect(await new Response((await post("messages")).body).text()).toContain("tollgate endpoints enable messages");
});

test("a change is in the audit log, and the same again is not", async () => {
  for (const enabled of [true, true, false]) await turn("responses", enabled);
  const { data } = await gateway.platform<{ data: Change[] }>("GET", "/api/audit-log?limit=2");
  expect(data).toMatchObject([
    { action: "endpoint.update", target: { kind: "endpoint", id: "responses" }, before: { enabled: true }, after: { enabled: false } },
    { action: "endpoint.update", before: { enabled: false }, after: { enabled: true } },
  ]);
});

test("what the file turns on is on after a reload, and can be turned off only there", async () => {
  replace(gateway, yamlWith("endpoints: [messages]"));
  await requestReload(gateway);
  expect(await statuses()).toEqual([200, 404, 400]);
  const { data } = await gateway.platform<OptionalEndpointList>("GET", "/api/endpoints");
  expect(data.map(({ id, enabled, managed_by: origin }) => [id, enabled, origin])).toEqual([
    ["messages", true, "file"],
    ["responses", false, "operator"],
    ["embeddings", false, "operator"],
  ]);
  const { declared } = await gateway.platform<ConfigFile>("GET", "/api/config");
  expect(declared).toContainEqual({ kind: "endpoint", id: "messages" });
  const refused = await turn("messages", false).catch(String);
  expect(refused).toContain("managed_elsewhere");
  expect(refused).toContain("tollgate.yaml");
  await turn("responses", true);
  expect(await statuses()).toEqual([200, 200, 200]);
  replace(gateway, yamlWith(""));
  await requestReload(gateway);
  expect(await statuses()).toEqual([404, 200, 200]);
});

test("an unknown endpoint is a 404 that names the others", async () => {
  expect(await turn("chat_completions", false).catch(String)).toContain("messages and responses");
});

test("an endpoint that an operator has turned on is on after a restart", async () => {
  await turn("responses", true);
  const { folder } = gateway;
  await gateway.end();
  gateway = await start(folder);
  expect(await statuses()).toEqual([404, 200, 200]);
});
