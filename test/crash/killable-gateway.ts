import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launcher } from "../support/gateway/launcher.ts";
import { followLines } from "../support/gateway/start-gateway.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const OPERATOR_TOKEN = "operator-token-of-a-test";
const POLL_MS = 5;

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

export interface GatewayKey {
  readonly id: string;
  readonly key: string;
}

/** A gateway that is started repeatedly by its launcher, on the same data and with the same URL. */
export class KillableGateway {
  readonly folder = mkdtempSync(join(tmpdir(), "tollgate-crash-"));
  readonly databasePath = join(this.folder, "data", "tollgate.db");
  readonly #env: Record<string, string>;
  readonly #port: number;
  readonly #platformPort: number;
  readonly #reading: Promise<unknown>[] = [];
  /** Resolves when the current process has printed its last output. */
  #printed: Promise<unknown> = Promise.resolve();
  #child: Child | undefined;
  #output = "";

  static async create(options: { yaml: string; env?: Record<string, string> }): Promise<KillableGateway> {
    return new KillableGateway(options, await quietPort(), await quietPort());
  }

  private constructor({ yaml, env = {} }: { yaml: string; env?: Record<string, string> }, port: number, platformPort: number) {
    this.#port = port;
    this.#platformPort = platformPort;
    this.#env = {
      PATH: process.env["PATH"]!,
      TOLLGATE_PORT: String(port),
      TOLLGATE_PLATFORM_PORT: String(platformPort),
      TOLLGATE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      ...env,
    };
    writeFileSync(join(this.folder, "tollgate.yaml"), yaml);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Resolves with the exit code; null if a signal ended the process. */
  get exited(): Promise<number> {
    return this.#running.exited;
  }

  get #running(): Child {
    if (!this.#child) throw new Error("the gateway was not started");
    return this.#child;
  }

  /** Starts a process, and waits for nothing. `env` is only for this process. */
  spawn(env: Record<string, string> = {}): void {
    this.#child = Bun.spawn([launcher(), "start", "--json"], {
      cwd: this.folder,
      env: { ...this.#env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const streams = [this.#child.stdout, this.#child.stderr];
    this.#printed = Promise.all(streams.map((stream) => followLines(stream, (text) => (this.#output += text))));
    this.#reading.push(this.#printed);
  }

  /** Resolves when the gateway reports that it is ready, with the startup time in milliseconds. */
  async untilReady(): Promise<number> {
    const begun = performance.now();
    while (!(await this.isReady())) {
      if (this.#running.exitCode !== null) {
        await Promise.race([this.#printed, Bun.sleep(WAIT_LIMIT_MS)]);
        throw new Error(`The gateway ended instead of starting: ${this.#output.slice(-2000)}`);
      }
      if (performance.now() - begun > WAIT_LIMIT_MS) throw new Error(`The gateway does not get ready: ${this.#output.slice(-2000)}`);
      await Bun.sleep(POLL_MS);
    }
    return performance.now() - begun;
  }

  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#port}/readyz`, { keepalive: false })).ok;
    } catch {
      return false;
    }
  }

  async start(env: Record<string, string> = {}): Promise<number> {
    this.spawn(env);
    return this.untilReady();
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    this.#running.kill(name);
  }

  /** Kills the gateway with kill -9. The launcher was replaced by the gateway (exec), so this is the gateway's own process. */
  async kill(): Promise<void> {
    this.#running.kill("SIGKILL");
    await this.#running.exited;
  }

  askPlatform(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#platformPort}${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
      keepalive: false,
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  async platform<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.askPlatform(method, path, body);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T;
  }

  async grant(dollars: string): Promise<void> {
    await this.platform("POST", "/api/accounts/default/grants", { amount: dollars, reference: "for tests", reason: "for tests" });
  }

  makeKey(): Promise<GatewayKey> {
    return this.platform<GatewayKey>("POST", "/api/keys", { name: "test", models: ["*"] });
  }

  /** The output of all of its processes. */
  get output(): string {
    return this.#output;
  }

  countInLog(words: string): number {
    return this.#output.split(words).length - 1;
  }

  async remove(): Promise<void> {
    if (this.#child) await this.kill();
    await Promise.all(this.#reading);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Each test process takes ports from a range of its own, so that two of them do not choose the same port at the same time. */
const PORTS_PER_PROCESS = 200;
const FIRST_PORT = 12_000 + (process.pid % 100) * PORTS_PER_PROCESS;
let portsTaken = 0;

/**
 * A port that is still free at the next start, and that no earlier call has returned. A port that the system picks may not be: between two
 * starts of the gateway the system may give it to any outgoing connection. The system never picks a port below its range, which starts at
 * 32768 or higher.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (portsTaken++ % PORTS_PER_PROCESS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
