import { startLiteLLM } from "./start-litellm.ts";

/** A LiteLLM proxy, which translates other formats to chat completions. */
export interface Bridge {
  post(path: string, body: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a proxy with the settings in `bridge.yaml` of this folder. */
export async function startBridge(folder: string, env: Record<string, string>): Promise<Bridge> {
  const litellm = await startLiteLLM(folder, "bridge.yaml", env);
  const headers = { authorization: "Bearer sk-bridge", "content-type": "application/json" };
  return {
    async post(path, body) {
      const response = await fetch(`${litellm.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return response.json();
    },
    stop: () => litellm.stop(),
  };
}
