import { eventually } from "../../support/eventually.ts";

/** A LiteLLM proxy, which translates other formats to chat completions. */
export interface Bridge {
  post(path: string, body: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a proxy with the settings in `bridge.yaml` of this folder. It takes a minute on a busy machine. */
export async function startBridge(folder: string, env: Record<string, string>): Promise<Bridge> {
  const port = freePort();
  const command = ["litellm", "--config", "bridge.yaml", "--host", "127.0.0.1", "--port", String(port)];
  const child = Bun.spawn(command, { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  const address = `http://127.0.0.1:${port}`;
  const headers = { authorization: "Bearer sk-bridge", "content-type": "application/json" };
  const bridge: Bridge = {
    async post(path, body) {
      const response = await fetch(`${address}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return response.json();
    },
    async stop() {
      child.kill();
      await child.exited;
    },
  };
  const isListening = async (): Promise<boolean> => (await fetch(`${address}/health/liveliness`).catch(() => undefined))?.ok === true;
  await eventually(isListening, Boolean).catch(async (error: unknown) => {
    await bridge.stop();
    throw error;
  });
  return bridge;
}

/** LiteLLM cannot let the system pick a port. */
function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
