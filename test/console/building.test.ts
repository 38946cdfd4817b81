import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
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
import { ROOT } from "../start-gateway.ts";

/** Takes a moment, writes what the source says, and counts itself. */
const BUILD = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
appendFileSync("builds", "x");
await Bun.sleep(100);
mkdirSync("dist/console", { recursive: true });
writeFileSync("dist/console/index.html", readFileSync("console/src/main.tsx", "utf8"));
`;

let folder: string;
const at = (path: string): string => join(folder, path);
const builds = (): number => (existsSync(at("builds")) ? readFileSync(at("builds"), "utf8").length : 0);

/** A checkout whose packages are installed elsewhere, and whose build is a small one. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-building-"));
  for (const path of ["scripts", "console/src", "modules/.bin"]) mkdirSync(at(path), { recursive: true });
  copyFileSync(join(ROOT, "scripts/install"), at("scripts/install"));
  symlinkSync(process.execPath, at("modules/.bin/bun"));
  symlinkSync("modules", at("node_modules"));
  writeFileSync(at("package-lock.json"), "{}");
  writeFileSync(at("console/build.ts"), BUILD);
  writeFileSync(at("console/src/main.tsx"), "first");
  for (const path of ["package-lock.json", "console/build.ts", "console/src/main.tsx", "console/src", "console"]) setAge(path, 60);
});
afterEach(() => rmSync(folder, { recursive: true }));

function setAge(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(at(path), then, then);
}

async function install(...args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const child = Bun.spawn([at("scripts/install"), "runtime", ...args], { stdout: "ignore", stderr: "pipe" });
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited]);
  return { code, stderr };
}

describe("the console is built", () => {
  test("where it is missing, once, and only for those who want it", async () => {
    expect(await install()).toEqual({ code: 0, stderr: "" });
    expect(builds()).toBe(0);
    expect(await install("console")).toEqual({ code: 0, stderr: "Building the console ...\n" });
    expect(await install("console")).toEqual({ code: 0, stderr: "" });
    expect(builds()).toBe(1);
  });

  test("again where anything it is made of has changed, gone or come", async () => {
    await install("console");
    const changes = [
      () => writeFileSync(at("console/src/main.tsx"), "second"),
      () => writeFileSync(at("console/src/other.tsx"), ""),
      () => rmSync(at("console/src/other.tsx")),
      () => writeFileSync(at("package-lock.json"), '{"lockfileVersion": 3}'),
    ];
    for (const [done, change] of changes.entries()) {
      setAge("dist/console/index.html", 30);
      change();
      await install("console");
      expect(builds()).toBe(done + 2);
    }
    expect(readFileSync(at("dist/console/index.html"), "utf8")).toBe("second");
  });

  test("by one of those who start at once, while the others wait", async () => {
    const outcomes = await Promise.all([install("console"), install("console"), install("console")]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect([builds(), readdirSync(folder).includes(".installing")]).toEqual([1, false]);
  });

  test("not at all in a package that was published", async () => {
    rmSync(at("package-lock.json"));
    rmSync(at("console"), { recursive: true });
    expect(await install("console")).toEqual({ code: 0, stderr: "" });
    expect(builds()).toBe(0);
  });
});

test("a build that fails is told in its own words, and nothing starts", async () => {
  writeFileSync(at("console/build.ts"), 'throw new Error("no such colour");');
  const { code, stderr } = await install("console");
  expect(code).toBe(1);
  expect(stderr).toContain("no such colour");
  expect(stderr).toEndWith("The console could not be built: see above.\n");
});
