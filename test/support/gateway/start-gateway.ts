import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noteListener } from "../../openapi/known-listeners.ts";
import { launcher } from "./launcher.ts";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

/** A gateway in a process of its own, started the way its users start it, in a folder of its own. */
export interface RunningGateway {
  /** The base address that clients are given: it ends in `/v1`. */
  readonly baseUrl: string;
  readonly platformUrl: string;
  readonly operatorToken: string;
  readonly pid: number;
  readonly folder: string;
  /** The key printed on a first run without a config file. */
  readonly firstKey: string | null;
  /** The link for the first operator, where there is nobody yet. */
  readonly signInUrl: string | null;
  /** Calls the platform API as the operator, and gives the answer's body; throws where it is refused. */
  platform<T>(method: string, path: string, body?: object): Promise<T>;
  /** Makes a key by the platform API, on an account with credit for any test. */
  makeKey(models?: readonly string[], more?: object): Promise<{ id: string; key: string }>;
  /** Everything the process has printed. */
  output(): string;
  /** The log lines so far, as objects. */
  logLines(): Record<string, unknown>[];
  /** Ends it and leaves its folder. */
  end(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

export const ROOT = join(import.meta.dir, "../../..");

export interface StartOptions {
  readonly yaml?: string;
  readonly env?: Record<string, string>;
  /** The folder of one that has ended, to go on with what it kept. */
  readonly folder?: string;
  /** Of another checkout. */
  readonly launcher?: string;
  /** How to connect to its listeners: with the certificate that they have, or by a unix socket. */
  readonly connection?: BunFetchRequestInit;
}

/** For tests of disconnects whose upstreams never end a response: by default its call would go on for minutes. */
export const CANCELS = { TOLLGATE_ON_DISCONNECT: "cancel" };

/** Starts a gateway on ports the system picks. Only what is given here, and PATH, is in its environment. */
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
  // Why a start has failed is read after its end.
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
    noteListener("gateway", baseUrl!);
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
  /** Asks it to end, and after so long once more, which cancels its requests. A killed owner would leave its gateway processes behind. */
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
    // What it has not written yet is part of what it leaves.
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

/** Hands on what a process prints, in whole lines: those of two outputs do not mix, and no line is read before it is complete. */
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

/** Hands on what a process prints, as text. */
export async function follow(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const utf8 = new TextDecoder();
  for await (const chunk of stream) take(utf8.decode(chunk, { stream: true }));
}
