import { launcher } from "./launcher.ts";
import type { RunningGateway } from "./start-gateway.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly npx?: boolean;
  /** The standard input. Closed if not given. */
  readonly stdin?: string;
}

/** Runs the command line in the folder of a gateway, as users do. */
export async function runTollgate(gateway: RunningGateway, args: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  const program = options.npx ? ["npx", "tollgate"] : [launcher()];
  const child = Bun.spawn([...program, ...args], {
    cwd: options.cwd ?? gateway.folder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PLATFORM_PORT: new URL(gateway.platformUrl).port, ...options.env },
    stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}
