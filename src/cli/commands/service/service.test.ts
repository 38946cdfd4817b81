import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../../../test/clients/system-program.ts";
import { writeUnit } from "./install-service.ts";
import { serviceUnit } from "./service-unit.ts";

/** The maximum exposure of the unit. 0 is the minimum; a unit without any option has 10. */
const MAX_EXPOSURE = 1.6;

const analyze = process.platform === "linux" ? findProgram(["systemd-analyze"], "systemd") : undefined;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-unit-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const UNIT = serviceUnit({ program: "/bin/true", user: undefined });

/** Resolves to the exit code and the output. */
async function run(...args: string[]): Promise<[number, string]> {
  const child = Bun.spawn([analyze!, ...args], { stdout: "pipe", stderr: "pipe" });
  const output = (await Promise.all([child.stdout.text(), child.stderr.text()])).join("");
  return [await child.exited, output];
}

describe.skipIf(!analyze)("systemd", () => {
  test("accepts the unit without a warning, with a user of its own and with a named one, and a path that needs quotes", async () => {
    for (const [at, unit] of [UNIT, serviceUnit({ program: "/bin/true", user: "daemon" })].entries()) {
      const path = join(folder, `tollgate-${at}.service`);
      writeFileSync(path, unit);
      expect(await run("verify", path)).toEqual([0, ""]);
    }
    const odd = join(folder, "a b 100% $c");
    writeFileSync(odd, "#!/bin/sh\n", { mode: 0o755 });
    const path = join(folder, "odd.service");
    writeFileSync(path, serviceUnit({ program: odd, user: undefined }));
    expect(await run("verify", path)).toEqual([0, ""]);
    rmSync(odd);
    expect((await run("verify", path))[1]).toContain(`Command ${odd} is not executable: No such file or directory`);
  });

  test("finds it hardly exposed", async () => {
    const path = join(folder, "tollgate.service");
    writeFileSync(path, UNIT);
    const [, output] = await run("security", "--offline=true", "--no-pager", path);
    expect(Number(/Overall exposure level .*: (\d+\.\d+)/.exec(output)?.[1])).toBeLessThanOrEqual(MAX_EXPOSURE);
  });
});

describe("installing the unit", () => {
  test("writes it for all to read, again where it is the same, and over another only where it is forced", () => {
    const path = join(folder, "tollgate.service");
    expect(writeUnit(path, UNIT, false)).toBe(false);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([UNIT, 0o644]);
    expect(writeUnit(path, UNIT, false)).toBe(true);
    writeFileSync(path, "[Service]\nExecStart=/somebody/else\n");
    expect(() => writeUnit(path, UNIT, false)).toThrow(`${path} exists and differs. Compare it with --print`);
    expect(readFileSync(path, "utf8")).toContain("somebody");
    expect(writeUnit(path, UNIT, true)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(UNIT);
  });

  test("does not follow a symbolic link: neither of a masked unit, nor of another user, nor with the name of its temporary file", () => {
    const path = join(folder, "tollgate.service");
    const other = join(folder, "other");
    writeFileSync(other, "mine");
    for (const [target, remedy] of [
      ["/dev/null", "The unit is masked: run systemctl unmask tollgate first."],
      [other, "Remove the link first."],
      [join(folder, "missing"), "Remove the link first."],
    ] as const) {
      symlinkSync(target, path);
      const message = `${path} is a symbolic link to ${target}, and is not overwritten. ${remedy}`;
      for (const isForced of [false, true]) expect(() => writeUnit(path, UNIT, isForced)).toThrow(message);
      expect(readlinkSync(path)).toBe(target);
      rmSync(path);
    }
    symlinkSync(other, `${path}.new`);
    expect(writeUnit(path, UNIT, false)).toBe(false);
    expect(readFileSync(other, "utf8")).toBe("mine");
    expect(readdirSync(folder).toSorted()).toEqual(["other", "tollgate.service"]);
  });

  test("replaces the file as a whole", () => {
    const path = join(folder, "tollgate.service");
    writeFileSync(path, UNIT.slice(0, 100));
    const before = statSync(path).ino;
    writeUnit(path, UNIT, true);
    expect(statSync(path).ino).not.toBe(before);
  });

  test("says where it cannot", () => {
    expect(() => writeUnit(join(folder, "no", "tollgate.service"), UNIT, false)).toThrow("this machine has no systemd");
    expect(() => writeUnit(folder, UNIT, true)).toThrow(`${folder} cannot be read (EISDIR).`);
  });

  test.skipIf(process.getuid?.() === 0)("says that it needs root", () => {
    expect(() => writeUnit("/etc/passwd.service", UNIT, true)).toThrow("/etc/passwd.service cannot be written: run this command as root.");
  });
});
