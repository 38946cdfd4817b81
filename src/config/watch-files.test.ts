import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import { WAIT_LIMIT_MS } from "../../test/support/wait-limit.ts";
import { watchFiles } from "./watch-files.ts";

let folder: string;
let path: string;
let stop: () => void = () => undefined;
let calls = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-watch-"));
  path = join(folder, "tollgate.yaml");
  writeFileSync(path, "one");
  calls = 0;
  stop = watchFiles([path], () => void calls++);
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true, force: true });
});

async function reaches(count: number): Promise<void> {
  await eventually(
    () => calls,
    (seen) => seen >= count,
  );
}

test("reports a file at first, when it changes, when it is removed and when it is restored", async () => {
  await reaches(1);
  writeFileSync(path, "two");
  await reaches(2);
  // The folder is removed too, so that there is nothing left to watch for notifications.
  rmSync(folder, { recursive: true });
  await reaches(3);
  folder = mkdtempSync(join(tmpdir(), "tollgate-watch-"));
  expect(calls).toBe(3);
});

test("does not report a file that is being written until it is complete", async () => {
  await reaches(1);
  for (let line = 1; line <= 50; line++) {
    writeFileSync(path, "a line\n".repeat(line));
    await Bun.sleep(50);
  }
  await reaches(2);
  // If every poll reported a change, there would be five calls. A busy machine may pause during the writes.
  expect(calls).toBeLessThanOrEqual(3);
});

test("does not keep the process alive", async () => {
  const script = `import { watchFiles } from ${JSON.stringify(join(import.meta.dir, "watch-files.ts"))}; watchFiles([${JSON.stringify(path)}], () => undefined);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "inherit" });
  const ending = await Promise.race([child.exited, Bun.sleep(WAIT_LIMIT_MS).then(() => "it did not end")]);
  child.kill();
  expect(ending).toBe(0);
});
