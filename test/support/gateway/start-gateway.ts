import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noteListener } from "../../openapi/known-listeners.ts";
import { launcher } from "./launcher.ts";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

/** A gateway in a separate process, started as users start it, in its own folder. */
export interface RunningGateway {
  /** The base URL for clients, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly platformUrl: string;
  readonly operatorToken: string;
  readonly pid: number;
  readonly folder: string;
  /** The key printed on a first run without a config file. */
  readonly firstKey: string | null;
  /** The link for the first operator, if there are no people yet. */
  readonly signInUrl: string | null;
  /** Calls the platform API as the operator, and returns the body of the reply. Throws if the call is rejected. */
  platform<T>(method: string, path: string, body?: object): Promise<T>;
  /** Creates a key with the platform API, on an account with enough credit for any test. */
  makeKey(models?: readonly string[], more?: object): Promise<{ id: string; key: string }>;
  /** The complete output of the process. */
  output(): string;
  /** The log lines so far, as objects. */
  logLines(): Record<string, unknown>[];
  /** Stops the gateway and keeps its folder. */
  end(): Promise<void>;
  /** Stops the gateway and removes its folder. */
  stop(): Promise<void>;
}

export const ROOT = join(import.meta.dir, "../../..");

export interface StartOptions {
  readonly yaml?: string;
  readonly env?: Record<string, string>;
  /** The folder of a stopped gateway, to continue with its data. */
  readonly folder?: string;
  /** The launcher of another checkout. */
  readonly launcher?: string;
  /** How to connect to its listeners: with the certificate that they use, or through a unix socket. */
  readonly connection?: BunFetchRequestInit;
}

/** For tests of disconnects whose upstreams never end a response: by default the upstream call would continue for minutes. */
export const CANCELS = { TOLLGATE_ON_DISCONNECT: "cancel" };

/** Starts a gateway on ports that the system picks. Its environment has only the given variables and PATH. */
export async function startGateway(options: StartOptions = {}): Promise<RunningGateway> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "tollgate-test-"));
  if (options.yaml !== undefined) writeFileSync(join(folder, "tollgate.yaml"), options.yaml);
  let output = "";
  const child = Bun.spawn([options.launcher ?? launcher(), "start", "--json"], {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", ...options.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const reading = Promise.all([child.stdout, child.stderr].map((stream) => followLines(stream, (text) => (output += text))));
  // The reason of a failed start is read after the process has ended.
  const ended = Promise.all([child.exited, reading]).then(([code]) => code);
  const greeting = await waitFor(
    () => output.split("\n").find((line) => line.startsWith('{"base_url"')),
    ended,
    () => output,
  ).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const {
    base_url: baseUrl,
    platform_url: platformUrl,
    key: firstKey,
    sign_in_url: signInUrl,
  } = JSON.parse(greeting) as Record<string, string>;
  const operatorToken = options.env?.["TOLLGATE_OPERATOR_TOKEN"] ?? readFileSync(join(folder, "data", "operator-token"), "utf8").trim();
  if (options.launcher === undefined && options.connection?.unix === undefined) {
    noteListener(options.yaml?.includes("endpoints:") ? "gateway-with-endpoints" : "gateway", baseUrl!);
    noteListener("platform", platformUrl!);
  }
  async function platform<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${platformUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      ...options.connection,
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T;
  }
  /**
   * Stops the gateway. After this time it sends a second signal, which cancels its requests. If the owner were killed, its gateway
   * processes would be left behind.
   */
  async function endWithin(ms: number): Promise<void> {
    for (const patienceMs of [ms, WAIT_LIMIT_MS]) {
      child.kill("SIGTERM");
      await Promise.race([child.exited, Bun.sleep(patienceMs)]);
    }
    child.kill("SIGKILL");
    await ended;
  }
  return {
    platform,
    baseUrl: baseUrl!,
    platformUrl: platformUrl!,
    operatorToken,
    pid: child.pid,
    folder,
    firstKey: firstKey ?? null,
    signInUrl: signInUrl ?? null,
    async makeKey(models = ["*"], more = {}) {
      const grant = { amount: "1000", reference: "for tests", reason: "for tests" };
      await platform("POST", "/api/accounts/default/grants", grant);
      return platform<{ id: string; key: string }>("POST", "/api/keys", { name: "test", models, ...more });
    },
    output: () => output,
    logLines: () =>
      output
        .split("\n")
        .filter((line) => line.startsWith('{"time"'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    // Waits long enough for the gateway to write everything, because its folder is used again.
    end: () => endWithin(WAIT_LIMIT_MS),
    async stop() {
      await endWithin(3000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Polls until `look` finds something. Fails after `WAIT_LIMIT_MS`, or when the process has ended. */
export async function waitFor<T>(look: () => T | undefined | false, ended?: Promise<number>, explain: () => string = () => ""): Promise<T> {
  let exit: number | undefined;
  void ended?.then((code) => (exit = code));
  for (const deadline = performance.now() + WAIT_LIMIT_MS; performance.now() < deadline;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (exit !== undefined) throw new Error(`The process ended with ${exit}: ${explain()}`);
    await Bun.sleep(10);
  }
  throw new Error(`Waited in vain. ${explain()}`);
}

/**
 * Passes on the output of a process in complete lines: lines of two outputs are not mixed, and no line is passed on before it is complete.
 */
export async function followLines(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  let rest = "";
  await follow(stream, (text) => {
    const lines = rest + text;
    const end = lines.lastIndexOf("\n") + 1;
    rest = lines.slice(end);
    if (end > 0) take(lines.slice(0, end));
  });
  if (rest !== "") take(rest);
}

/** Passes on the output of a process as text. */
export async function follow(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const utf8 = new TextDecoder();
  for await (const chunk of stream) take(utf8.decode(chunk, { stream: true }));
}
