import { existsSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../support/gateway/start-gateway.ts";

export const OPERATOR_TOKEN = "operator-token-of-the-upgrade-tests";
export const SECRET = "secret-of-the-upgrade-tests-0123456789abcdef";

type Body = Record<string, unknown>;

/** A gateway of an earlier version, while its data folder is recorded. */
export class RecordedGateway {
  readonly #baseUrl: string;
  readonly platformUrl: string;
  readonly child: Bun.Subprocess;

  private constructor(child: Bun.Subprocess, greeting: Record<string, string>) {
    this.child = child;
    this.#baseUrl = greeting["base_url"]!;
    this.platformUrl = greeting["platform_url"]!;
  }

  static async start(checkout: string, folder: string): Promise<RecordedGateway> {
    const entry = ["start.ts", "cli.ts"].map((file) => join(checkout, "src", "cli", file)).find((path) => existsSync(path))!;
    const child = Bun.spawn([process.execPath, "--max-http-header-size=65536", entry, "start", "--json"], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"]!,
        TOLLGATE_PORT: "0",
        TOLLGATE_PLATFORM_PORT: "0",
        TOLLGATE_OPERATOR_TOKEN: OPERATOR_TOKEN,
        TOLLGATE_SECRET: SECRET,
      },
      stdout: "pipe",
      stderr: "inherit",
    });
    let output = "";
    const read = async (): Promise<void> => {
      for await (const bytes of child.stdout) output += new TextDecoder().decode(bytes);
    };
    void read();
    const line = await waitFor(
      () => output.split("\n").find((text) => text.startsWith('{"base_url"')),
      child.exited,
      () => output,
    );
    return new RecordedGateway(child, JSON.parse(line) as Record<string, string>);
  }

  /** Calls the platform as the operator. Earlier versions lack much of it: that is skipped, and printed. */
  async platform(method: string, path: string, body?: object): Promise<Body | undefined> {
    const response = await fetch(`${this.platformUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Body;
    process.stdout.write(`  skipped: ${method} ${path}: ${response.status} ${text.slice(0, 120)}\n`);
    return undefined;
  }

  ask(key: string, model: string, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "Hi" }], ...more }),
    });
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.child.kill(signal);
    await this.child.exited;
  }
}
