import { afterAll, expect, test } from "bun:test";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { AzureSource } from "../../src/upstreams/identities/azure/azure-source.ts";
import { BearerAuthorizer } from "../../src/upstreams/identities/identities.ts";
import type { Clock } from "../../src/upstreams/identities/refreshed-credentials.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion } from "../support/upstreams/mock-upstream.ts";
import { AzureCloud, MACHINE_IDENTITY, TENANT } from "./azure-cloud.ts";
import { startAzureMetadata, startAzureOpenAI, startEntra, type AzureServer } from "./azure-servers.ts";

const CLIENT = "22222222-0000-0000-0000-000000000001";
const servers: AzureServer[] = [];

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
});

function started(server: AzureServer): AzureServer {
  servers.push(server);
  return server;
}

test("access tokens expire under load, and no request fails", async () => {
  const cloud = new AzureCloud();
  // The gateway has twelve seconds to replace an access token before it expires. The machine may stall during this time.
  cloud.lifetimeMs = 25_000;
  cloud.add({ clientId: CLIENT, secret: "the-secret-of-the-client" });
  const [entra, metadata] = [started(startEntra(cloud)), started(startAzureMetadata(cloud, []))];
  const azure = started(startAzureOpenAI(cloud, () => Response.json(completion())));
  const place = `preset: azure, base_url: "${azure.url}/openai/v1", allow_private: true`;
  const gateway = await startGateway({
    yaml: `upstreams:
  - { id: by-secret, ${place}, azure: { tenant_id: ${TENANT}, client_id: ${CLIENT}, client_secret: the-secret-of-the-client } }
  - { id: by-machine, ${place}, azure: {} }
models:
  - { id: by-secret, routes: [{ upstream: by-secret, model: gpt }], free: true }
  - { id: by-machine, routes: [{ upstream: by-machine, model: gpt }], free: true }
`,
    env: { AZURE_AUTHORITY_HOST: entra.url, AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url },
  });
  try {
    const { key } = await gateway.makeKey();
    const statuses = new Set<number>();
    const used = { [CLIENT]: new Set<string>(), machine: new Set<string>() };
    const areRefreshed = (): boolean => Object.values(used).every(({ size }) => size >= 4);
    const call = async (model: string): Promise<void> => {
      const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
      });
      statuses.add(reply.status);
      await reply.text();
    };
    const noteTokens = (): void => {
      for (const { headers } of azure.seen.splice(0)) {
        const token = headers["authorization"]!.slice("Bearer ".length);
        used[cloud.ownerOf(token) as keyof typeof used].add(token);
      }
    };
    await eventually(
      async () => {
        await Promise.all(["by-secret", "by-machine"].flatMap((model) => [1, 2, 3, 4].map(() => call(model))));
        noteTokens();
        return areRefreshed();
      },
      (isDone) => isDone,
    );
    expect([...statuses]).toEqual([200]);
  } finally {
    await gateway.stop();
  }
}, 200_000);

/** A clock that is controlled by a test. */
class MovedClock implements Clock {
  #nowMs = Date.parse("2026-01-01T00:00:00Z");
  #tasks: { readonly atMs: number; readonly task: () => void }[] = [];

  nowMs = (): number => this.#nowMs;
  random = (): number => 0.5;

  later(task: () => void, ms: number): void {
    this.#tasks.push({ atMs: this.#nowMs + ms, task });
  }

  advance(minutes: number): void {
    this.#nowMs += minutes * 60_000;
    const due = this.#tasks.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#tasks = this.#tasks.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { task } of due) task();
  }
}

test("without the metadata service, an access token serves until it expires, then 503, and again when it is back", async () => {
  const metadata = started(startAzureMetadata(new AzureCloud(), []));
  const clock = new MovedClock();
  const variables = readCloudVariables({ AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url });
  const authorizer = new BearerAuthorizer(new AzureSource(MACHINE_IDENTITY, variables, clock.nowMs), clock);
  const authorize = async (): Promise<string> => {
    const { headers } = await authorizer.authorize({ method: "POST", host: "h", target: "/", headers: {}, body: [] });
    return headers["authorization"]!;
  };
  const first = await authorize();
  metadata.isDown = true;
  // The refresh is due after 48 of 60 minutes.
  clock.advance(50);
  await eventually(
    () => authorizer.state.failure,
    (failure) => /status 503/.test(failure ?? ""),
  );
  expect(await authorize()).toBe(first);
  clock.advance(11);
  const [outcome] = await Promise.allSettled([authorize()]);
  expect(outcome).toMatchObject({
    status: "rejected",
    reason: { code: "no_upstream_available", status: 503, fault: { kind: "unreachable" } },
  });
  metadata.isDown = false;
  clock.advance(2);
  const second = await authorize();
  expect(second).toStartWith("Bearer eyJ");
  expect(second).not.toBe(first);
  expect(authorizer.state).toMatchObject({ source: "the managed identity of this machine, by the metadata service", failure: undefined });
});
