import { TEST_PRICE } from "../../test/support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../../test/support/gateway/start-gateway.ts";
import type { Expectations } from "./expectations.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

/** A gateway in front of a llama.cpp server. */
export interface Trial {
  readonly python: string;
  readonly gateway: RunningGateway;
  readonly key: string;
  /** Replaced when a check restarts the server. */
  server: ModelServer;
}

/** One property to check. It throws `CheckSkipped` if it cannot be checked on this machine. */
export interface Check {
  readonly name: string;
  run(trial: Trial, expect: Expectations): Promise<void>;
}

/** Declared with the preset `llama-cpp` as its first route, and with a backup. */
export const MODEL = "smollm2";

/** The same server without the preset, as an operator declares it who knows only that it uses OpenAI's format. It has no backup. */
export const PLAIN_MODEL = "smollm2-plain";

export const FIRST_UPSTREAM = "local";

/** The first server again, under its own name: it has its own health, and every request to it is a failover. */
const BACKUP_UPSTREAM = "backup";

export async function startTrial(python: string): Promise<Trial> {
  const server = await startModelServer(python, 0);
  try {
    const gateway = await startGateway({ yaml: configOf(server.baseUrl) });
    const { key } = await gateway.makeKey();
    return { python, gateway, key, server };
  } catch (error) {
    await server.kill();
    throw error;
  }
}

function configOf(baseUrl: string): string {
  const address = `base_url: "${baseUrl}", allow_private: true`;
  const settings = `price: ${TEST_PRICE}, max_output_tokens: 256`;
  const first = `{ upstream: ${FIRST_UPSTREAM}, model: smollm2 }`;
  const backup = `{ upstream: ${BACKUP_UPSTREAM}, model: smollm2, priority: 2 }`;
  return `upstreams:
  - { id: ${FIRST_UPSTREAM}, preset: llama-cpp, ${address} }
  - { id: ${BACKUP_UPSTREAM}, dialect: openai, ${address} }
models:
  - { id: ${MODEL}, routes: [${first}, ${backup}], ${settings} }
  - { id: ${PLAIN_MODEL}, routes: [${backup}], ${settings} }
`;
}
