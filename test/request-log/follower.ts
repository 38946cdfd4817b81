import { launcher } from "../support/gateway/launcher.ts";
import { follow as collect, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** `logs --follow` next to a gateway, in a separate process. */
export interface Follower {
  readonly lines: () => string[];
  readonly words: () => string;
  /** Sends Ctrl-C, and returns the exit code. */
  end(): Promise<number>;
}

export function startFollower({ folder, platformUrl, operatorToken }: RunningGateway, ...options: string[]): Follower {
  let output = "";
  let errors = "";
  const child = Bun.spawn([launcher(), "logs", "--follow", ...options], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"]!,
      TOLLGATE_PLATFORM_PORT: new URL(platformUrl).port,
      TOLLGATE_OPERATOR_TOKEN: operatorToken,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reading = Promise.all([collect(child.stdout, (text) => (output += text)), collect(child.stderr, (text) => (errors += text))]);
  return {
    lines: () => output.split("\n").slice(0, -1),
    words: () => errors,
    async end() {
      child.kill("SIGINT");
      const code = await child.exited;
      await reading;
      return code;
    },
  };
}

export const idsIn = (lines: readonly string[]): string[] => lines.flatMap((line) => /req_[0-9a-f-]{36}/.exec(line)?.[0] ?? []);
