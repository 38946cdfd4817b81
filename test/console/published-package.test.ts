import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT, startGateway } from "../support/gateway/start-gateway.ts";
import { page } from "./built-files.ts";

/** A node_modules folder as `npm install` creates it, with the packed package and its dependencies. */
let modules: string;
const installed = (path: string): string => join(modules, "tollgate", path);

beforeAll(async () => {
  modules = join(mkdtempSync(join(tmpdir(), "tollgate-package-")), "node_modules");
  mkdirSync(installed(""), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  // `npm test` has built the console and the gateway already.
  await run(["npm", "pack", "--offline", "--no-update-notifier", "--ignore-scripts", "--pack-destination", modules], ROOT);
  await run(["tar", "-xzf", `tollgate-${manifest.version}.tgz`, "--strip-components=1", "-C", installed("")], modules);
  const [bun, ...others] = Object.keys(manifest.dependencies);
  for (const name of others) symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  symlinkSync(join(ROOT, "node_modules/.bin", bun!), join(modules, ".bin", bun!));
}, 300_000);
afterAll(() => rmSync(join(modules, ".."), { recursive: true, force: true }));

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: "ignore", stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
}

test("the published package starts with its console and documents, without installing or building", async () => {
  const gateway = await startGateway({ launcher: installed("bin/tollgate") });
  try {
    expect(gateway.output()).not.toMatch(/Installing|Building/);
    expect(await (await fetch(`${gateway.platformUrl}/keys`)).text()).toBe(page.replaceAll("%BASE%", ""));
    for (const path of ["/docs/gateway.json", "/docs/platform.json"])
      expect((await fetch(`${gateway.platformUrl}${path}`)).status).toBe(200);
  } finally {
    await gateway.stop();
  }
}, 300_000);

test("the published package contains no tests, console sources or local files", () => {
  const files = readdirSync(installed(""), { recursive: true, encoding: "utf8" });
  expect(
    files.filter((file) =>
      /\.test\.|\.contract\.|^(console|test|bench|data|node_modules)(\/|$)|tollgate\.yaml|\.db$|operator-token$/.test(file),
    ),
  ).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(["README.md", "docs/console.md", "src/cli/cli.ts", "dist/gateway/start.js.jsc"]));
});
