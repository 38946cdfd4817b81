import { afterAll, expect, test } from "bun:test";
import { launcher } from "../support/gateway/launcher.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { startFakePlatform } from "./fake-platform.ts";

const healthy = startFakePlatform((path) => new Response("", { status: path === "/healthz" ? 200 : 404 }));
const ill = startFakePlatform(() => new Response("", { status: 503 }));
const portOf = (url: string): string => new URL(url).port;

afterAll(() => Promise.all([healthy.stop(), ill.stop()]));

async function tollgate(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const child = Bun.spawn([launcher(), ...args], { env: { PATH: process.env["PATH"]!, ...env }, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

test("health calls the gateway's listener, also where it listens on every interface", async () => {
  const env = { TOLLGATE_HOST: "0.0.0.0", TOLLGATE_PORT: portOf(healthy.url) };
  expect(await tollgate(["health"], env)).toEqual({ code: 0, stdout: `${healthy.url}/healthz is healthy.\n`, stderr: "" });
  expect(JSON.parse((await tollgate(["health", "--json"], env)).stdout)).toEqual({ url: `${healthy.url}/healthz`, status: "ok" });
}, 300_000);

test("health calls the platform's listener where nothing else is served", async () => {
  const env = { TOLLGATE_ROLE: "platform", TOLLGATE_PORT: portOf(ill.url), TOLLGATE_PLATFORM_PORT: portOf(healthy.url) };
  expect(await tollgate(["health"], env)).toMatchObject({ code: 0 });
}, 300_000);

test("health fails where the gateway is not healthy, or does not run", async () => {
  const unhealthy = await tollgate(["health"], { TOLLGATE_PORT: portOf(ill.url) });
  expect(unhealthy).toEqual({ code: 1, stdout: "", stderr: `tollgate: ${ill.url}/healthz returned status 503\n` });
  const away = await tollgate(["health"], { TOLLGATE_PORT: "1" });
  expect(away).toEqual({ code: 1, stdout: "", stderr: "tollgate: no response from http://127.0.0.1:1/healthz: ECONNREFUSED\n" });
}, 300_000);
