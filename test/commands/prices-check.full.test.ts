import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDefaultPrices } from "../../src/models/prices/find-default-prices.ts";
import { priceInForce } from "../../src/money/price.ts";
import { viewPrice } from "../../src/money/view-price.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startFakePlatform } from "./fake-platform.ts";

const BASE_URL = "https://api.openai.com/v1";
const installed = viewPrice(priceInForce(findDefaultPrices(BASE_URL, "gpt-4o-mini"), Date.now())!);
const former = { ...installed, version: "former", input_per_million: 9 };

const model = (id: string, price: unknown, upstreamModel = "gpt-4o-mini"): object => ({
  id,
  state: "available",
  price,
  routes: [{ upstream: "openai", model: upstreamModel }],
});

async function check(models: readonly object[], ...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const upstreams = [{ id: "openai", base_url: BASE_URL }];
  const platform = startFakePlatform((path) => Response.json({ data: path === "/api/models" ? models : upstreams, next: null }));
  const folder = mkdtempSync(join(tmpdir(), "tollgate-prices-"));
  try {
    const env = { PATH: process.env["PATH"]!, TOLLGATE_ACCESS_TOKEN: "an-access-token-of-tests", TOLLGATE_PLATFORM_URL: platform.url };
    const child = Bun.spawn([launcher(), "prices", "check", ...args], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, stdout, stderr };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
}

test("prices that would stay, and operators' prices, are not differences", async () => {
  const own = { ...installed, version: "own", source: "operator", input_per_million: 9 };
  const retired = { ...model("d", former), state: "retired" };
  const { code, stdout } = await check([model("a", installed), model("b", own), model("c", null, "nobody-knows-it"), retired]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^2 models with a default price.*\nNo price would change\.\n$/) as string]);
});

test("lists the default prices that would change, old and new, with exit code 1", async () => {
  const models = [model("changed", former), model("new", null), model("gone", former, "nobody-knows-it"), model("same", installed)];
  const { code, stdout, stderr } = await check(models);
  expect([code, stderr]).toEqual([1, "tollgate: 3 prices would change\n"]);
  const rows = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(["changed", "$9 → $0.15", "$0.075", "$0.60"]);
  expect(rows).toContainEqual(["new", "none → $0.15", "none → $0.075", "none → $0.60"]);
  expect(rows).toContainEqual(["gone", "$9 → none", "$0.075 → none", "$0.60 → none"]);
  const { differences } = JSON.parse((await check(models, "--json")).stdout) as { differences: { model: string; installed: unknown }[] };
  expect(differences.map((each) => [each.model, each.installed])).toEqual([
    ["changed", installed],
    ["new", installed],
    ["gone", null],
  ]);
});
