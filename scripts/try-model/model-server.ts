import { join } from "node:path";
import { follow, waitFor } from "../../test/support/gateway/start-gateway.ts";

/** A llama.cpp server in its own process. */
export interface ModelServer {
  readonly port: number;
  /** The base URL of the server's OpenAI-compatible API. */
  readonly baseUrl: string;
  /** Kills the process without any warning, like a crash. */
  kill(): Promise<void>;
}

const PROGRAM = join(import.meta.dir, "serve_model.py");

/** The default context window of each request. A small window is quick to fill. */
const CONTEXT_TOKENS = 512;

/** Starts a server that embeds texts. */
export function startEmbeddingServer(python: string): Promise<ModelServer> {
  return startModelServer(python, 0, CONTEXT_TOKENS, ["embeddings"]);
}

/** Starts a server and waits until the model is loaded. With port 0 the system picks a port. */
export async function startModelServer(
  python: string,
  port: number,
  contextTokens = CONTEXT_TOKENS,
  more: readonly string[] = [],
): Promise<ModelServer> {
  let output = "";
  let log = "";
  // The server ends when its standard input is closed, so it does not outlive this process.
  const child = Bun.spawn([python, PROGRAM, String(port), String(contextTokens), ...more], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
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
