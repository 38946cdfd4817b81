import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canGoWithout, WITHOUT_PRIVILEGE } from "../console/without-privilege.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

/** Takes a moment, and counts how often it runs. */
const BUILD = `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
appendFileSync("builds", "x");
await Bun.sleep(100);
mkdirSync("dist/gateway", { recursive: true });
writeFileSync("dist/gateway/cli.js", "");
`;
const PROGRAM = "dist/gateway/cli.js";
const SCRIPTS = ["build-gateway", "build-commit", "find-from-program"].map((name) => `scripts/${name}.ts`);
const MADE_OF = ["src/config.ts", ...SCRIPTS, "package.json", "package-lock.json"];

let folder: string;
const at = (path: string): string => join(folder, path);
const builds = (): number => (existsSync(at("builds")) ? readFileSync(at("builds"), "utf8").length : 0);

/** A checkout whose packages are installed elsewhere, and whose build is minimal. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-making-"));
  for (const path of ["scripts", "src", "modules/.bin"]) mkdirSync(at(path), { recursive: true });
  copyFileSync(join(ROOT, "scripts/install"), at("scripts/install"));
  symlinkSync(process.execPath, at("modules/.bin/bun"));
  symlinkSync("modules", at("node_modules"));
  for (const path of [...MADE_OF, "src/config.test.ts"]) writeFileSync(at(path), path === "scripts/build-gateway.ts" ? BUILD : "{}");
  setAgeOfSources(60);
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

function setAge(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(at(path), then, then);
}

function setAgeOfSources(seconds: number): void {
  for (const path of [...MADE_OF, "src", "src/config.test.ts"]) setAge(path, seconds);
}

async function install(...before: readonly string[]): Promise<{ code: number; stderr: string }> {
  const child = Bun.spawn([...before, at("scripts/install"), "runtime", "gateway"], { stdout: "ignore", stderr: "pipe" });
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited]);
  return { code, stderr };
}

test("builds a missing gateway once, without output", async () => {
  expect(await install()).toEqual({ code: 0, stderr: "" });
  expect(await install()).toEqual({ code: 0, stderr: "" });
  expect(builds()).toBe(1);
});

test("builds again after a source was changed, added or removed, but not after a change of a test", async () => {
  await install();
  const changes = [
    ...MADE_OF.map((path) => () => writeFileSync(at(path), readFileSync(at(path)))),
    () => writeFileSync(at("src/other.ts"), ""),
    () => rmSync(at("src/other.ts")),
  ];
  for (const [done, change] of changes.entries()) {
    setAgeOfSources(60);
    setAge(PROGRAM, 30);
    change();
    await install();
    expect(builds()).toBe(done + 2);
  }
  setAgeOfSources(60);
  writeFileSync(at("src/config.test.ts"), "other");
  await install();
  expect(builds()).toBe(changes.length + 1);
});

test("of concurrent starts, one builds while the others wait", async () => {
  const outcomes = await Promise.all([install(), install(), install()]);
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect([builds(), readdirSync(folder).includes(".installing")]).toEqual([1, false]);
});

test("a failed build shows its output and exits with its own status", async () => {
  writeFileSync(at("scripts/build-gateway.ts"), 'throw new Error("no such module");');
  const { code, stderr } = await install();
  expect(code).toBe(2);
  expect(stderr).toContain("no such module");
  expect(stderr).toEndWith("The gateway could not be built: see above.\n");
});

test.skipIf(!canGoWithout)("in a read-only folder, a build is used only while it matches the sources", async () => {
  await install();
  chmodSync(folder, 0o555);
  expect(await install(...WITHOUT_PRIVILEGE)).toEqual({ code: 0, stderr: "" });
  writeFileSync(at("src/config.ts"), "other");
  setAge(PROGRAM, 30);
  expect(await install(...WITHOUT_PRIVILEGE)).toEqual({ code: 2, stderr: "" });
  expect(builds()).toBe(1);
});
