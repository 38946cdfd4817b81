import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTestFiles } from "./test-file.ts";
import { runFull, summarizeFull } from "./test-full.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-suite-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ONCE = join(folder, "ran-before");

function write(name: string, body: string): void {
  writeFileSync(
    join(folder, name),
    `import { expect, test } from "bun:test";\nimport { existsSync, writeFileSync } from "node:fs";\n${body}\n`,
  );
}

test("runs a failed file again alone, and lists it as flaky if it passes then", async () => {
  write("good.full.test.ts", `test("adds", () => expect(1 + 1).toBe(2));\ntest.skip("later", () => {});`);
  write("bad.full.test.ts", `test("is always wrong", () => expect("bad").toBe("good"));`);
  write("broken.full.test.ts", `throw new Error("cannot be loaded");`);
  write(
    "sometimes.full.test.ts",
    `test("passes the second time", () => {
      const isFirst = !existsSync(${JSON.stringify(ONCE)});
      writeFileSync(${JSON.stringify(ONCE)}, "");
      expect(isFirst ? "first run" : "second run").toBe("second run");
    });`,
  );
  write("quick.test.ts", `throw new Error("is in the other suite");`);
  const files = findTestFiles("**/*.full.test.ts", folder);
  const lines: string[] = [];
  const run = await runFull(files, folder, (line) => lines.push(line));
  const failed = run.results.filter(({ isPassed }) => !isPassed).map(({ file }) => file);
  expect(failed.toSorted()).toEqual(["bad.full.test.ts", "broken.full.test.ts"]);
  expect(run.flaky.map(({ file }) => file)).toEqual(["sometimes.full.test.ts"]);
  expect(lines).toContain("Running sometimes.full.test.ts again, alone");
  const summary = summarizeFull(run, "7");
  expect(summary).toContain("Failed twice: bad.full.test.ts (seed 7)");
  expect(summary).toContain("Flaky: 1 of 4 files failed, then passed alone");
  expect(summary).toContain('Received: "first run"');
  expect(summary).toEndWith("\n2 passed, 2 failed, 1 skipped");
});
