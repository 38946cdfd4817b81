/** A server for tests, in a separate process. */
export interface ListeningProcess {
  readonly port: number;
  /** Stops the process (SIGSTOP): its connections stay open, but it does nothing. */
  readonly pause: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a script that prints its port as the first line of its output. Its path is relative to this folder. */
export async function spawnListening(script: string): Promise<ListeningProcess> {
  const child = Bun.spawn([process.execPath, script], {
    // The script must generate the same tables as the test, including in the long run.
    env: {
      PATH: process.env["PATH"]!,
      BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
      TOLLGATE_TEST_LONG: process.env["TOLLGATE_TEST_LONG"] ?? "",
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  const { port } = JSON.parse(await firstLine(child.stdout)) as { port: number };
  return {
    port,
    pause: () => child.kill("SIGSTOP"),
    stop: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const utf8 = new TextDecoder();
  for await (const bytes of stream) {
    text += utf8.decode(bytes, { stream: true });
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`It ended without saying its port: ${text}`);
}
