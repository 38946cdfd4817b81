import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { SmallDisk } from "./small-disk.ts";

const disk = SmallDisk.mount(6);
if (!disk) process.stderr.write("test/crash/full-disk.full.test.ts is skipped: this user may not mount a tmpfs\n");

let upstream: MockUpstream;
let gateway: KillableGateway;
let key: string;

beforeAll(async () => {
  if (!disk) return;
  upstream = startMockUpstream({ "up-any": () => Response.json(completion()) });
  gateway = await KillableGateway.create({ yaml: configFor(upstream.baseUrl, ["any"]), env: { TOLLGATE_DATA: join(disk.path, "data") } });
  await gateway.start();
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
}, 300_000);

afterAll(async () => {
  if (!disk) return;
  await gateway.remove();
  await upstream.stop();
  disk.unmount();
});

test.skipIf(!disk)(
  "on a full disk, rejects requests with 503, stays alive, and recovers; a start on a full disk fails",
  async () => {
    expect((await chat()).status).toBe(200);
    disk!.fill();
    // Blocks that a file already has can still be overwritten.
    const refused = await eventually(chat, ({ status }) => status !== 200);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    const failed = await eventually(createKey, ({ status }) => status !== 201);
    expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await failed.json()).toMatchObject({ code: "overloaded", detail: expect.stringContaining("its disk is full") });
    const count = async (): Promise<number> => (await gateway.platform<{ data: unknown[] }>("GET", "/api/keys?limit=100")).data.length;
    const keys = await count();
    for (let at = 0; at < 20; at++) expect([(await chat()).status, (await createKey()).status]).toEqual([503, 503]);
    expect(await count()).toBe(keys);
    expect(await gateway.isReady()).toBe(false);

    disk!.free();
    await eventually(chat, ({ status }) => status === 200);
    await eventually(
      () => gateway.isReady(),
      (isReady) => isReady,
    );
    expect((await createKey()).status).toBe(201);
    expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });

    await gateway.kill();
    const printed = gateway.output.length;
    disk!.fill();
    gateway.spawn();
    expect(await gateway.exited).toBe(1);
    const words = await eventually(
      async () => gateway.output.slice(printed),
      (text) => text.endsWith("\n"),
    );
    expect(words).toMatch(/full/);
    expect(words.trim().split("\n")).toHaveLength(1);
    disk!.free();
    await gateway.start();
    expect((await chat()).status).toBe(200);
  },
  300_000,
);

function chat(): Promise<Response> {
  const body = JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hello" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body, keepalive: false });
}

function createKey(): Promise<Response> {
  return gateway.askPlatform("POST", "/api/keys", { name: "n".repeat(60), models: ["*"] });
}
