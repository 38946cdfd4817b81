import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../clients/system-program.ts";
import { chatBody } from "../money/post-chat.ts";
import { PASSWORD, tokenOf } from "../people/visitor.ts";
import { eventually } from "../support/eventually.ts";
import { gatewayPids, isRunning, PROCESSES, untilServing } from "../support/gateway/gateway-processes.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { greetingIn } from "../support/gateway/read-greeting.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

const curl = findProgram(["curl"], "curl");

/** Only Linux supports several processes. */
const COUNTS = process.platform === "linux" ? [PROCESSES, 1] : [1];

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-socket-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const paths = (): { gateway: string; platform: string } => ({ gateway: join(folder, "g.sock"), platform: join(folder, "p.sock") });

function envOf(count: number): Record<string, string> {
  return {
    TOLLGATE_PORT: "",
    TOLLGATE_PLATFORM_PORT: "",
    TOLLGATE_SOCKET: paths().gateway,
    TOLLGATE_PLATFORM_SOCKET: paths().platform,
    TOLLGATE_PLATFORM_SOCKET_MODE: "600",
    TOLLGATE_PLATFORM_URL: "https://console.example.test",
    TOLLGATE_PROCESSES: String(count),
  };
}

function start(count: number, inFolder?: string): Promise<RunningGateway> {
  return startGateway({ env: envOf(count), connection: { unix: paths().platform }, ...(inFolder !== undefined && { folder: inFolder }) });
}

function post(key: string): Promise<Response> {
  return fetch("http://localhost/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: chatBody("echo"),
    unix: paths().gateway,
    keepalive: false,
  });
}

/** The status of a request, after credit and limits could be verified. */
async function statusFor(key: string): Promise<number> {
  const { status } = await postUntilVerified(async () => {
    const response = await post(key);
    return { status: response.status, headers: response.headers, text: await response.text() };
  });
  return status;
}

/**
 * Sends one request after the other, each on its own connection, until it is stopped. Returns the failures. At full speed it would take the
 * cores from the starting processes.
 */
function load(key: string): { readonly answered: number; stop(): Promise<string[]> } {
  const failures: string[] = [];
  const state = { answered: 0, isOver: false };
  const workers = Array.from({ length: 3 }, async () => {
    while (!state.isOver) {
      const outcome = await post(key).then(
        async (response) => `${response.status} ${(await response.text()).slice(0, 200)}`,
        (error: unknown) => String((error as NodeJS.ErrnoException).code),
      );
      if (outcome.startsWith("200")) state.answered++;
      else failures.push(outcome);
      await Bun.sleep(5);
    }
  });
  return {
    get answered() {
      return state.answered;
    },
    async stop() {
      state.isOver = true;
      await Promise.all(workers);
      return failures;
    },
  };
}

for (const count of COUNTS) {
  describe(`unix sockets with ${count === 1 ? "a single process" : "several processes"}`, () => {
    test("serve both listeners with their modes, and are removed by a shutdown", async () => {
      const gateway = await start(count);
      const { key } = await gateway.makeKey();
      expect(await statusFor(key)).toBe(200);
      expect([paths().gateway, paths().platform].map((path) => statSync(path).mode & 0o777)).toEqual([0o660, 0o600]);
      const printed = JSON.parse(
        gateway
          .output()
          .split("\n")
          .find((line) => line.startsWith('{"base_url"'))!,
      ) as object;
      expect(printed).toMatchObject({ base_url: "http://localhost/v1", socket: paths().gateway, platform_socket: paths().platform });
      expect(await runTollgate(gateway, ["keys", "list"], { env: envOf(1) })).toMatchObject({ code: 0 });
      expect((await runTollgate(gateway, ["health"], { env: envOf(1) })).stdout).toBe(`${paths().gateway} is healthy.\n`);
      await gateway.end();
      expect([paths().gateway, paths().platform].map((path) => existsSync(path))).toEqual([false, false]);
      await gateway.stop();
    });

    test("of a running gateway are not taken over, and neither is another file", async () => {
      const gateway = await start(count);
      const { key } = await gateway.makeKey();
      const refusal = async (env: Record<string, string>): Promise<string> => {
        const cwd = mkdtempSync(join(folder, "second-"));
        const child = Bun.spawn([launcher(), "start"], {
          cwd,
          env: { PATH: process.env["PATH"]!, ...env },
          stdout: "ignore",
          stderr: "pipe",
        });
        expect(await child.exited).toBe(1);
        return child.stderr.text();
      };
      expect(await refusal(envOf(count))).toContain(`Failed to listen at ${paths().gateway}: another program listens there`);
      expect(await statusFor(key)).toBe(200);
      const file = join(folder, "precious");
      writeFileSync(file, "precious");
      expect(await refusal({ ...envOf(count), TOLLGATE_SOCKET: file })).toContain(`Failed to listen at ${file}: `);
      expect(statSync(file).size).toBe(8);
      await gateway.stop();
    });

    test("of a gateway that was killed are replaced", async () => {
      const gateway = await start(count);
      const { key } = await gateway.makeKey();
      const pids = [gateway.pid, ...(await gatewayPids(gateway))];
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await eventually(
        () => pids.filter(isRunning),
        (running) => running.length === 0,
      );
      expect([paths().gateway, paths().platform].map((path) => existsSync(path))).toEqual([true, true]);
      const next = await start(count, gateway.folder);
      expect(await statusFor(key)).toBe(200);
      await next.stop();
    });
  });
}

describe.skipIf(process.platform !== "linux")("several processes on a unix socket", () => {
  test("serve all clients through a rolling restart, and while the owner is killed and started again", async () => {
    const gateway = await start(PROCESSES);
    const { key } = await gateway.makeKey();
    const before = await untilServing(gateway);
    const clients = load(key);
    const untilAnswered = (more: number): Promise<unknown> => {
      const from = clients.answered;
      return eventually(
        () => clients.answered,
        (answered) => answered >= from + more,
      );
    };
    await untilAnswered(50);
    process.kill(gateway.pid, "SIGUSR2");
    await eventually(
      () => gatewayPids(gateway),
      (pids) => pids.length === PROCESSES && pids.every((pid) => !before.includes(pid)),
    );
    await untilAnswered(50);
    process.kill(gateway.pid, "SIGKILL");
    await untilAnswered(50);
    const survivors = await Promise.all([start(PROCESSES, gateway.folder), untilAnswered(50)]);
    const [next] = survivors;
    await untilServing(next);
    await untilAnswered(50);
    // On a machine that stalls, the owner may have been unavailable for too long.
    expect((await clients.stop()).filter((failure) => !failure.startsWith("503"))).toEqual([]);
    await next.stop();
  });
});

describe("behind a proxy at a unix socket", () => {
  let gateway: RunningGateway;
  let own: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-socket-"));
    own = folder;
    gateway = await start(1);
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(own, { recursive: true, force: true });
  });

  test("the client's address is the one that the proxy has added, and links have the public URL", async () => {
    expect(new URL(gateway.signInUrl!).origin).toBe("https://console.example.test");
    const headers = {
      "content-type": "application/json",
      "x-tollgate-request": "page",
      "x-forwarded-for": "198.51.100.1, 192.0.2.7",
      host: "console.example.test",
    };
    const body = JSON.stringify({ token: tokenOf(gateway.signInUrl!), email: "ada@example.test", name: "Ada", password: PASSWORD });
    const unix = join(own, "p.sock");
    const accepted = await fetch("http://localhost/api/invitations/accept", { method: "POST", headers, body, unix });
    expect(accepted.headers.getSetCookie()[0]).toMatch(/^__Host-tollgate=\S+; Secure; /);
    const { data } = await gateway.platform<{ data: Record<string, unknown>[] }>("GET", "/api/audit-log");
    expect(data[0]).toMatchObject({ address: "192.0.2.7" });
    const rebound = await fetch("http://localhost/api/me", { headers: { host: "evil.example" }, unix });
    expect(rebound.status).toBe(421);
  });
});

test.skipIf(!curl)("the printed request works", async () => {
  let reply = "";
  await greetingIn(folder, envOf(1), async (text) => {
    const [command] = /^curl [^]+?\n(?=\n)/m.exec(text)!;
    expect(command).toContain(`curl --unix-socket ${paths().gateway} http://localhost/v1/`);
    reply = await Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "ignore" }).stdout.text();
  });
  expect(reply).toContain("You said: Hello!");
});
