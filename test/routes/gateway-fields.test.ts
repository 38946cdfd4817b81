import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GATEWAY_FIELD_NAMES, OBEYED_FIELDS } from "../../src/models/parameters/gateway-fields.ts";
import { answers, FlakyUpstream, hangs } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo } from "./routed-gateway.ts";

/** Fields of LiteLLM's clients that are for the gateway, and where each of them is removed. */

const plain = new FlakyUpstream("plain");
let routed: RoutedGateway;

beforeAll(async () => {
  const routes = routesTo([plain]);
  const cached = { id: "cached", routes, cache: { ttl_seconds: 3600 } };
  const config = JSON.parse(
    routesConfig(
      [plain],
      [
        { id: "chat", routes },
        { id: "strict", routes, unknown_parameters: "refuse" },
        { id: "passing", routes, parameters: { guardrails: "pass" } },
        cached,
      ],
    ),
  ) as Record<string, unknown>;
  const accounts = [{ id: "default", name: "Default", metadata_tags: ["team"] }];
  routed = await RoutedGateway.start(JSON.stringify({ ...config, accounts }));
});
afterAll(async () => {
  await routed.stop();
  await plain.stop();
});

const OBEYED = { timeout: 30, cache: { "no-cache": true } };
const dropped = [...Object.keys(GATEWAY_FIELD_NAMES).filter((name) => !OBEYED_FIELDS.has(name)), "litellm_session_id", "litellm_anything"];

const cacheOf = async (cache?: object): Promise<string | null> =>
  (await routed.ask("cached", { body: { seed: 1, ...(cache && { cache }) } })).headers.get("x-tollgate-cache");

describe("fields for the gateway", () => {
  test("never reach an upstream, and the reply names those that have no effect", async () => {
    const fields = { ...Object.fromEntries(dropped.map((name) => [name, "http://evil.example"])), ...OBEYED };
    const reply = await routed.ask("chat", { body: { ...fields, top_k: 3 } });
    expect(reply.status).toBe(200);
    expect(Object.keys(plain.requests.at(-1)!.body).toSorted()).toEqual(["messages", "model", "stream", "top_k"]);
    expect(reply.headers.get("x-tollgate-dropped")).toContain("fallbacks, ");
    const obeyed = await routed.ask("chat", { body: OBEYED });
    expect([obeyed.status, obeyed.headers.get("x-tollgate-dropped")]).toEqual([200, null]);
  });

  test.each(dropped)("%s is rejected where unknown parameters are", async (name) => {
    const reply = await routed.ask("strict", { body: { [name]: "http://evil.example" } });
    expect([reply.status, reply.code]).toEqual([400, "unsupported_parameter"]);
  });

  test("that the gateway obeys are not rejected there, and a policy can pass one", async () => {
    expect((await routed.ask("strict", { body: OBEYED })).status).toBe(200);
    await routed.ask("passing", { body: { guardrails: ["pii"] } });
    expect(plain.requests.at(-1)!.body).toMatchObject({ guardrails: ["pii"] });
  });

  test("timeout is the time to wait for a response, in seconds", async () => {
    plain.does = hangs;
    expect(await routed.ask("chat", { body: { timeout: 0.2 } })).toMatchObject({ status: 504, code: "upstream_timeout" });
    plain.does = answers;
    expect(await routed.ask("chat", { body: { timeout: "soon" } })).toMatchObject({ status: 400 });
  });

  test("cache skips the response cache", async () => {
    expect([
      await cacheOf(),
      await cacheOf(),
      await cacheOf({ "no-cache": true }),
      await cacheOf({ "no-store": true }),
      await cacheOf(),
    ]).toEqual(["miss", "hit", "miss", null, "hit"]);
  });

  test("metadata.tags are tags that the account takes from metadata, and the rest of metadata is passed on", async () => {
    const metadata = { tags: ["team:search", "other:x", "plain"], trace: "t" };
    const reply = await routed.ask("chat", { body: { metadata } });
    expect(plain.requests.at(-1)!.body["metadata"]).toEqual({ trace: "t" });
    expect(await routed.receipt(reply)).toMatchObject({ tags: { team: "search" } });
  });

  test("metadata with tags alone does not reach an upstream, and an empty one of the caller does", async () => {
    const reply = await routed.ask("chat", { body: { metadata: { tags: ["team:search"] } } });
    expect(Object.keys(plain.requests.at(-1)!.body).toSorted()).toEqual(["messages", "model", "stream"]);
    expect(reply.headers.get("x-tollgate-dropped")).toBeNull();
    expect(await routed.receipt(reply)).toMatchObject({ tags: { team: "search" } });
    await routed.ask("chat", { body: { metadata: {} } });
    expect(plain.requests.at(-1)!.body["metadata"]).toEqual({});
  });

  test("requests with other tags are different ones for the response cache and for an Idempotency-Key", async () => {
    const cached = async (team: string): Promise<string | null> =>
      (await routed.ask("cached", { body: { seed: 2, metadata: { tags: [`team:${team}`] } } })).headers.get("x-tollgate-cache");
    expect([await cached("a"), await cached("a"), await cached("b")]).toEqual(["miss", "hit", "miss"]);
    const headers = { "idempotency-key": "tags" };
    const [first, again, other] = [
      await routed.ask("chat", { headers, body: { metadata: { tags: ["team:a"] } } }),
      await routed.ask("chat", { headers, body: { metadata: { tags: ["team:a"] } } }),
      await routed.ask("chat", { headers, body: { metadata: { tags: ["team:b"] } } }),
    ];
    expect([first.status, again.headers.get("x-tollgate-replayed"), other.status]).toEqual([200, first.headers.get("x-request-id"), 400]);
  });
});
