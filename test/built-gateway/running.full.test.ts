import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { canGoWithout, WITHOUT_PRIVILEGE } from "../console/without-privilege.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

let checkout: string;
const at = (path: string): string => join(checkout, path);

/** A checkout with its packages, but without a console. */
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), "tollgate-running-"));
  const scripts = ["install", "build-gateway.ts", "build-commit.ts", "find-from-program.ts"].map((name) => `scripts/${name}`);
  for (const path of ["bin", ...scripts, "src", "package.json", "package-lock.json"])
    cpSync(join(ROOT, path), at(path), { recursive: true });
  mkdirSync(at("node_modules/.bin"), { recursive: true });
  for (const path of [".bin/bun", ...Object.keys(manifest.dependencies).filter((name) => name !== "bun")]) {
    mkdirSync(dirname(at(`node_modules/${path}`)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", path), at(`node_modules/${path}`));
  }
});
afterAll(() => {
  chmodSync(checkout, 0o755);
  rmSync(checkout, { recursive: true });
});

async function tollgate(args: readonly string[], env: Record<string, string> = {}, before: readonly string[] = []): Promise<string[]> {
  const child = Bun.spawn([...before, at("bin/tollgate"), ...args], {
    cwd: checkout,
    env: { PATH: process.env["PATH"]!, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  return Promise.all([child.stdout.text(), child.stderr.text()]);
}

function setVersion(version: string): void {
  writeFileSync(at("package.json"), JSON.stringify({ ...manifest, version }));
}

/** The file from which a command runs. */
async function programOf(words: readonly string[]): Promise<string> {
  writeFileSync(at("tell.ts"), "process.stderr.write(Bun.main); process.exit(0);");
  return (await tollgate(words, { BUN_OPTIONS: `--preload=${at("tell.ts")}` }))[1]!;
}

test("runs the build, and builds again after a source has changed", async () => {
  expect(await tollgate(["--version"])).toEqual([`${manifest.version}\n`, ""]);
  expect(await programOf(["--version"])).toBe(at("dist/gateway/cli.js"));
  expect(await programOf(["start", "--json"])).toBe(at("dist/gateway/start.js"));
  expect(await programOf(["start", "--help"])).toBe(at("dist/gateway/cli.js"));
  setVersion("7.7.7");
  expect(await tollgate(["--version"])).toEqual(["7.7.7\n", ""]);
  expect(await programOf(["--version"])).toBe(at("dist/gateway/cli.js"));
}, 300_000);

test("the build contains no paths of its machine, and its bytecode is used", async () => {
  await tollgate(["--version"]);
  for (const name of ["start", "cli"]) expect(readFileSync(at(`dist/gateway/${name}.js`), "utf8")).not.toContain(checkout);
  const [, said] = await tollgate(["--version"], { BUN_JSC_verboseDiskCache: "1" });
  expect(said).toContain("Cache hit for sourceCode");
}, 300_000);

async function growthUnder(env: Record<string, string>): Promise<string | undefined> {
  const said = await tollgate(["--version"], { BUN_JSC_dumpOptions: "1", ...env });
  return /heapGrowthMaxIncrease=(\S+)/.exec(said.join(""))?.[1];
}

test("the heap grows to twice the live size, unless the operator configures it", async () => {
  expect(await growthUnder({})).toBe("1");
  expect(await growthUnder({ BUN_JSC_heapGrowthMaxIncrease: "0.5" })).toBe("0.5");
}, 300_000);

test("a stack trace names the sources", async () => {
  writeFileSync(at("broken.ts"), 'process.stdout.write = () => { throw new Error("no ink left"); };');
  const [, said] = await tollgate(["--version"], { BUN_OPTIONS: `--preload=${at("broken.ts")}` });
  expect(said).toStartWith("tollgate: Error: no ink left\n");
  expect(said).toContain(`(${at("src/cli/output.ts")}:`);
  expect(said).not.toContain("dist/gateway");
}, 300_000);

test.skipIf(!canGoWithout)(
  "where it cannot be built, the sources are run",
  async () => {
    await tollgate(["--version"]);
    setVersion("8.8.8");
    chmodSync(checkout, 0o555);
    expect(await tollgate(["--version"], {}, WITHOUT_PRIVILEGE)).toEqual(["8.8.8\n", ""]);
    chmodSync(checkout, 0o755);
    writeFileSync(at("scripts/build-gateway.ts"), 'throw new Error("no such module");');
    const [version, said] = await tollgate(["--version"]);
    expect(version).toBe("8.8.8\n");
    expect(said).toEndWith("The gateway could not be built: see above.\n");
  },
  300_000,
);
