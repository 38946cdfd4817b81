import { join } from "node:path";
import { follow, waitFor } from "../../test/support/gateway/start-gateway.ts";

/** A llama.cpp server in a process of its own. */
export interface ModelServer {
  readonly port: number;
  /** The base URL of its OpenAI-compatible API. */
  readonly baseUrl: string;
  /** Ends the process without any warning, as a crash does. */
  kill(): Promise<void>;
}

const PROGRAM = join(import.meta.dir, "serve_model.py");

/** The context window of each request, unless more is asked for. A small one is quick to fill. */
const CONTEXT_TOKENS = 512;

/** Starts a server and waits until the model is loaded. Port 0 lets the system pick one. */
export async function startModelServer(python: string, port: number, contextTokens = CONTEXT_TOKENS): Promise<ModelServer> {
  let output = "";
  let log = "";
  // The server ends when its standard input is closed, so it does not outlive this process.
  const child = Bun.spawn([python, PROGRAM, String(port), String(contextTokens)], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  void follow(child.stdout, (text) => (output += text));
  void follow(child.stderr, (text) => (log += text));
  const firstLine = await waitFor(
    () => /^\{"port": \d+\}$/m.exec(output)?.[0],
    child.exited,
    () => log.slice(-2000),
  ).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const listening = (JSON.parse(firstLine) as { port: number }).port;
  return {
    port: listening,
    baseUrl: `http://127.0.0.1:${listening}/v1`,
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
