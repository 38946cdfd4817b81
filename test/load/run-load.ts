import { join } from "node:path";
import type { Counters } from "../../bench/load/mock/counters.ts";
import type { Target } from "../../bench/load/target.ts";
import { follow, ROOT, waitFor } from "../support/gateway/start-gateway.ts";

const FOLDER = join(ROOT, "bench", "load");
const CERTIFICATES = join(ROOT, "test", "egress", "certificates");

export const TEST_CERTIFICATE = { cert: join(CERTIFICATES, "upstream.test.pem"), key: join(CERTIFICATES, "upstream.test.key") };

export interface LoadRun {
  readonly exit: number;
  readonly result: Record<string, unknown> & { readonly ok: boolean; readonly errors: Record<string, number> };
  readonly stderr: string;
}

/** Runs a load client in the same way as the benchmark. */
export async function runLoad(name: string, argument: object | string): Promise<LoadRun> {
  const text = typeof argument === "string" ? argument : JSON.stringify(argument);
  const child = Bun.spawn([process.execPath, join(FOLDER, `${name}.ts`), text], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exit] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exit, result: JSON.parse(stdout || "{}") as LoadRun["result"], stderr };
}

export interface RunningMock {
  readonly url: string;
  readonly tlsUrl: string | null;
  readonly pid: number;
  target(model: string, more?: Partial<Target>): Target;
  counters(): Promise<Counters>;
  stop(): Promise<void>;
}

/** The upstream for which the load clients are made. */
export async function startMock(options: object = {}): Promise<RunningMock> {
  const child = Bun.spawn([process.execPath, join(FOLDER, "sse-mock.ts"), JSON.stringify(options)], { stdout: "pipe", stderr: "inherit" });
  let output = "";
  void follow(child.stdout, (text) => (output += text));
  const line = await waitFor(() => output.includes("\n") && output, child.exited);
  const { url, tlsUrl } = JSON.parse(line) as { url: string; tlsUrl: string | null };
  return {
    url,
    tlsUrl,
    pid: child.pid,
    target: (model, more = {}) => ({ ...targetAt(url, model), ...more }),
    counters: async () => (await (await fetch(`${url}/counters`)).json()) as Counters,
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

export function targetAt(url: string, model: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), path: "/v1/chat/completions", headers: { authorization: "Bearer test" }, model };
}
