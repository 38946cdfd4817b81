import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { page } from "../console/built-files.ts";
import { executable } from "../support/gateway/launcher.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { IMAGE_ENV, instruction, INSTRUCTIONS } from "./dockerfile.ts";

const USER = 1000;
const HOME = "/var/lib/tollgate";
const NAMESPACES = ["unshare", "--mount", "--pid", "--fork"];

/** A container consists of namespaces, which root can create, unless the tests themselves run in a container. */
const hasNamespaces = Bun.which("unshare") !== null && Bun.spawnSync([...NAMESPACES, "mount", "-t", "tmpfs", "none", tmpdir()]).success;
const testInNamespaces = test.skipIf(!hasNamespaces);

describe("deploy/Dockerfile", () => {
  test("has an image of this version, for a user without privileges", () => {
    expect(instruction("LABEL")).toContain(`org.opencontainers.image.version="${version}"`);
    expect([instruction("USER"), instruction("WORKDIR"), instruction("VOLUME")]).toEqual([`${USER}:${USER}`, HOME, HOME]);
    expect(IMAGE_ENV).toMatchObject({ TOLLGATE_HOST: "0.0.0.0", TOLLGATE_DATA: `${HOME}/data` });
  });

  test("sets the heap's growth as the launcher does, so that the executable need not start itself again", () => {
    const launcher = readFileSync(join(ROOT, "bin/tollgate"), "utf8");
    const [, name, value] = /export (BUN_JSC_\w+)="\$\{\w+:-(\d+)\}"/.exec(launcher)!;
    expect(IMAGE_ENV[name!]).toBe(value);
  });

  test("assembles the root filesystem with the script of this test, and runs nothing else in the image", () => {
    expect(readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8")).toContain("deploy/assemble-rootfs dist/executable/tollgate /rootfs\n");
    expect(INSTRUCTIONS.map(([name]) => name)).not.toContain("RUN");
  });
});

describe("the root filesystem of the image", () => {
  let folder: string;
  const at = (path: string): string => join(folder, path);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-container-"));
    if (!hasNamespaces) return;
    const { success, stderr } = Bun.spawnSync([join(ROOT, "deploy/assemble-rootfs"), executable(), at("root")]);
    if (!success) throw new Error(stderr.toString());
    mkdirSync(at("volume"));
    chownSync(at("volume"), USER, USER);
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a program like a container engine: as process 1, in a root filesystem that is read-only except for the volume. */
  function command(program: readonly string[]): string[] {
    const root = at("root");
    const script = `
      mount --bind ${root} ${root}
      mount -t proc proc ${root}/proc
      mount --bind /dev ${root}/dev
      mount --bind ${at("volume")} ${root}${HOME}
      mount -o remount,bind,ro ${root}
      exec unshare --root=${root} --wd=${HOME} --setuid=${USER} --setgid=${USER} ${program.join(" ")}`;
    return [...NAMESPACES, "sh", "-ec", script];
  }

  /** The variables of the image, with the path of the programs that make the container. */
  const ENV = { ...IMAGE_ENV, PATH: process.env["PATH"]! };

  /** The exit code of the health check. */
  function checkHealth(port: string): number {
    const [, program] = /CMD (\[.*\])$/.exec(instruction("HEALTHCHECK"))!;
    return Bun.spawnSync(command(JSON.parse(program!) as string[]), { env: { ...ENV, TOLLGATE_PORT: port } }).exitCode;
  }

  testInNamespaces(
    "where namespaces can be created: runs as process 1 and as its user, read-only, is healthy, and stops on SIGTERM",
    async () => {
      const entryPoint = JSON.parse(instruction("ENTRYPOINT")) as string[];
      const env = { ...ENV, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" };
      const child = Bun.spawn(command([...entryPoint, "start", "--json"]), { env, stdout: "pipe", stderr: "inherit" });
      const first = (): number => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8"));
      try {
        const { base_url: baseUrl, platform_url: platformUrl, key } = await greeting(child.stdout);
        const status = readFileSync(`/proc/${first()}/status`, "utf8");
        expect(status).toMatch(/^NSpid:.*\t1$/m);
        expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
        expect(status).toMatch(/^CapEff:\t0+$/m);
        expect(readFileSync(`/proc/${first()}/mountinfo`, "utf8")).toMatch(/ \/ ro,/);

        const response = await fetch(`${baseUrl}/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "echo", stream: true, messages: [{ role: "user", content: "Hello!" }] }),
        });
        expect(await response.text()).toEndWith("data: [DONE]\n\n");
        expect(await (await fetch(`${platformUrl}/keys`)).text()).toBe(page.replaceAll("%BASE%", ""));
        expect(statSync(at("volume/data/tollgate.db")).uid).toBe(USER);
        expect(existsSync(at("root/var/lib/tollgate/data"))).toBe(false);

        const { port } = new URL(baseUrl!);
        expect(checkHealth(port)).toBe(0);
        process.kill(first(), "SIGTERM");
        expect(await child.exited).toBe(0);
        expect(checkHealth(port)).toBe(1);
      } finally {
        // `unshare` ignores SIGTERM. When process 1 ends, the container ends.
        if (child.exitCode === null) process.kill(first(), "SIGKILL");
      }
    },
    300_000,
  );
});

/** The first line of the output. */
async function greeting(stdout: ReadableStream<Uint8Array>): Promise<Record<string, string>> {
  let text = "";
  const utf8 = new TextDecoder();
  for await (const chunk of stdout) {
    text += utf8.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return JSON.parse(text.split("\n")[0]!) as Record<string, string>;
}
