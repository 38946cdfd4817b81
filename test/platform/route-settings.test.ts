import { afterAll, beforeAll, expect, test } from "bun:test";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import type { UpstreamSettings } from "../../src/models/upstream-settings.ts";
import { OPERATOR, openPlatform, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

/** The settings of routes, in the form in which the platform API accepts and returns them. */

let opened: PlatformInProcess;
let models = 0;
beforeAll(async () => {
  opened = await openPlatform();
  const body = { id: "u", dialect: "openai", base_url: "https://llm.example/v1" };
  await opened.call(OPERATOR, "createUpstream", { body });
});
afterAll(() => opened.stop());

function create(route: object, more: object = {}): Promise<CallResult> {
  const body = { id: `m${models++}`, free: true, routes: [{ upstream: "u", model: "m", ...route }], ...more };
  return opened.call(OPERATOR, "createModel", { body });
}

const firstRoute = ({ body }: CallResult): unknown => (body["routes"] as unknown[])[0];

test.each<[object, string]>([
  [{ model: "x" }, "model"],
  [{ messages: [] }, "messages"],
  [{ stream: true }, "stream"],
  [{ n: 2 }, "n"],
  [{ temperature: 3 }, "temperature"],
  [{ max_tokens: "50" }, "max_tokens"],
  [{ max_tokens: 1, max_completion_tokens: 2 }, "max_completion_tokens"],
  [{ Temperature: 1 }, "Temperature"],
  [{ n_predict: 5 }, "n_predict"],
])("refuses the default parameters %j, naming the place", async (defaults, name) => {
  const result = await create({ defaults });
  expect([result.status, result.text]).toEqual([400, expect.stringContaining(`routes[0].defaults.${name} `) as string]);
});

test("takes, returns and clears default parameters", async () => {
  const refused = await create({ defaults: { top_k: 5 } }, { unknown_parameters: "refuse" });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("routes[0].defaults.top_k ") as string]);
  const made = await create({ defaults: { top_k: 5 } });
  expect([made.status, firstRoute(made)]).toEqual([201, expect.objectContaining({ defaults: { top_k: 5 } })]);
  const body = { routes: [{ upstream: "u", model: "m", defaults: null }] };
  const cleared = await opened.call(OPERATOR, "updateModel", { params: { id: made.body["id"] as string }, body });
  expect(firstRoute(cleared)).toMatchObject({ defaults: {} });
});

test("takes, returns and clears rate limits of a route", async () => {
  expect((await create({ limits: {} })).text).toContain("routes[0].limits must set at least one limit");
  expect((await create({ limits: { requests_per_minute: 0 } })).text).toContain("routes[0].limits.requests_per_minute must be");
  const made = await create({ limits: { tokens_per_minute: 100 } });
  expect(firstRoute(made)).toMatchObject({ limits: { requests_per_minute: null, tokens_per_minute: 100 } });
  const cleared = await update(made.body["id"] as string, { routes: [{ upstream: "u", model: "m", limits: null }] });
  expect(firstRoute(cleared)).toMatchObject({ limits: null });
});

test("takes, returns and clears the selection of a model", async () => {
  const made = await create({}, { selection: "exact" });
  expect(made.body).toMatchObject({ selection: "exact" });
  expect((await update(made.body["id"] as string, { selection: null })).body).toMatchObject({ selection: "weighted" });
  expect((await create({}, { selection: "fastest" })).text).toContain("selection must be one of weighted, exact");
  expect((await create({}, { selection: "exact", sticky: true })).text).toContain("selection cannot be combined with sticky: true");
});

const CANARY = "header-canary-0123456789";

async function audited(): Promise<string> {
  return (await opened.call(OPERATOR, "listChanges", {})).text;
}

function update(id: string, body: object): Promise<CallResult> {
  return opened.call(OPERATOR, "updateModel", { params: { id }, body });
}

test("headers of a route are encrypted, shown by name alone, and stay until they are removed", async () => {
  const made = await create({ headers: { "X-Team": CANARY } });
  const id = made.body["id"] as string;
  expect([made.status, firstRoute(made)]).toEqual([201, expect.objectContaining({ headers: ["x-team"] })]);
  const valueOf = (): string | undefined => opened.stores.catalog.snapshot().get(id)!.routes[0]!.headers?.["x-team"]?.reveal();
  expect(firstRoute(await update(id, { routes: [{ upstream: "u", model: "m", weight: 3 }] }))).toMatchObject({
    weight: 3,
    headers: ["x-team"],
  });
  expect(valueOf()).toBe(CANARY);
  const clone = await opened.call(OPERATOR, "cloneModel", { params: { id }, body: { id: `${id}-clone` } });
  expect(firstRoute(clone)).toMatchObject({ headers: ["x-team"] });
  const more = await update(id, { routes: [{ upstream: "u", model: "m", headers: { "x-b": `${CANARY}-b` } }] });
  expect(firstRoute(more)).toMatchObject({ headers: ["x-b", "x-team"] });
  expect(firstRoute(await update(id, { routes: [{ upstream: "u", model: "m", headers: { "x-team": null } }] }))).toMatchObject({
    headers: ["x-b"],
  });
  const everything = [made, more, clone].map(({ text }) => text).join() + (await audited());
  expect(everything).not.toContain("canary");
  expect(everything).toContain("x-team");
  expect(firstRoute(await update(id, { routes: [{ upstream: "u", model: "m", headers: null }] }))).toMatchObject({ headers: [] });
  expect(valueOf()).toBeUndefined();
});

test("headers are not sent to a URL that they were not entered for", async () => {
  const body = {
    id: "v",
    dialect: "openai",
    base_url: "https://llm.example/v1",
    headers: { "x-team": CANARY, "x-b": "2" },
    organization: "org",
  };
  expect((await opened.call(OPERATOR, "createUpstream", { body })).body).toMatchObject({
    headers: ["x-b", "x-team"],
    organization: "org",
    project: null,
  });
  const change = (changes: object): Promise<CallResult> => opened.call(OPERATOR, "updateUpstream", { params: { id: "v" }, body: changes });
  const moved = { base_url: "https://other.example/v1" };
  expect(await change(moved)).toMatchObject({ status: 400, text: expect.stringContaining("headers.x-b is required") as string });
  expect(await change({ ...moved, headers: { "x-b": "3" } })).toMatchObject({ status: 400 });
  expect((await change({ headers: { "x-b": null }, organization: null })).body).toMatchObject({ headers: ["x-team"], organization: null });
  expect((await change({ ...moved, headers: { "X-TEAM": `${CANARY}-2` } })).body).toMatchObject({ ...moved, headers: ["x-team"] });
  await create({ upstream: "v", headers: { "x-route": CANARY } });
  expect(await change({ base_url: "https://third.example/v1", headers: null })).toMatchObject({
    status: 400,
    text: expect.stringContaining("has headers") as string,
  });
  expect(await audited()).not.toContain("canary");
});

test("headers are not sent to a new upstream with the ID of one that is gone", async () => {
  const { catalog } = opened.stores;
  const declare = (...upstreams: UpstreamSettings[]): Promise<unknown> =>
    catalog.declare("environment", () => ({ declared: { upstreams, catalog: new Map() }, announcements: [] }));
  await declare(remoteAt("gone", undefined, { baseUrl: "https://llm.example/v1", allowPrivate: false }, []));
  const made = await create({ upstream: "gone", headers: { "x-route": CANARY } });
  expect(made.status).toBe(201);
  await declare();
  const body = { id: "gone", dialect: "openai", base_url: "https://attacker.example/v1" };
  const message = `a route of the model ${String(made.body["id"])} with headers`;
  expect(await opened.call(OPERATOR, "createUpstream", { body })).toMatchObject({
    status: 400,
    text: expect.stringContaining(message) as string,
  });
  expect((await update(made.body["id"] as string, { routes: [{ upstream: "u", model: "m" }] })).status).toBe(200);
  expect((await opened.call(OPERATOR, "createUpstream", { body })).status).toBe(201);
});

test.each<[object, string]>([
  [{ headers: { authorization: CANARY } }, "routes[0].headers.authorization "],
  [{ headers: { "x-a": `${CANARY}\r\nx-b: 1` } }, "routes[0].headers.x-a must be ASCII without line breaks"],
  [{ headers: { "x y": CANARY } }, "routes[0].headers has a name that is not a header name"],
  [{ upstream: "claude", headers: { "x-api-key": CANARY } }, "routes[0].headers.x-api-key is set by the gateway"],
])("refuses a header that the gateway sets, or that is none: %#", async (route, message) => {
  const body = { id: "claude", dialect: "anthropic", base_url: "https://claude.example/v1" };
  await opened.call(OPERATOR, "createUpstream", { body });
  const { status, text } = await create(route);
  expect([status, text]).toEqual([400, expect.stringContaining(message) as string]);
  expect(text).not.toContain("canary");
});

test("organization and project go with the formats of OpenAI alone", async () => {
  const body = { id: "w", dialect: "gemini", base_url: "https://g.example/v1", project: "p" };
  expect((await opened.call(OPERATOR, "createUpstream", { body })).text).toContain(
    "project is allowed only with the dialects openai and responses",
  );
  const twice = { id: "w", dialect: "openai", base_url: "https://g.example/v1", project: "p", headers: { "OpenAI-Project": "q" } };
  expect((await opened.call(OPERATOR, "createUpstream", { body: twice })).text).toContain("project cannot be combined with the header");
});
