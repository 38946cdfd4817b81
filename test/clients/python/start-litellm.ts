import { eventually } from "../../support/eventually.ts";

/** A LiteLLM proxy. */
export interface LiteLLM {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a proxy with this config file from the folder. It takes a minute on a busy machine. */
export async function startLiteLLM(folder: string, config: string, env: Readonly<Record<string, string>>): Promise<LiteLLM> {
  const port = freePort();
  const command = ["litellm", "--config", config, "--host", "127.0.0.1", "--port", String(port)];
  const child = Bun.spawn(command, { cwd: folder, env: { ...env }, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  async function stop(): Promise<void> {
    child.kill();
    await child.exited;
  }
  const isListening = async (): Promise<boolean> => (await fetch(`${url}/health/liveliness`).catch(() => undefined))?.ok === true;
  await eventually(isListening, Boolean).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

/** LiteLLM cannot let the system pick a port. */
function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
