import { join } from "node:path";
import { SETTINGS, type Config } from "../config.ts";
import { reachable } from "../http/serve.ts";
import { readSecret } from "../stores/secret-file.ts";
import { CommandFailed } from "./command.ts";

/** A key as the platform API shows it. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly active: boolean;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A model as the platform API shows it. */
export interface ModelView {
  readonly id: string;
  readonly owned_by: string;
  readonly state: string;
  readonly shutdown_date: string | null;
  readonly replacement: string | null;
  readonly routes: readonly { readonly upstream: string; readonly model: string }[];
}

/** Calls the platform API of the running gateway, as the operator. */
export async function callPlatform<T>(config: Config, method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T> {
  const token = config.operatorToken ?? readSecret(join(config.dataFolder, "operator-token"));
  const origin = config.operatorToken ? SETTINGS.operatorToken : join(config.dataFolder, "operator-token");
  const address = `http://${reachable(config.platform.hostname)}:${config.platform.port}`;
  if (!token) {
    throw new CommandFailed(
      `no operator token: neither ${SETTINGS.operatorToken} is set nor is there one in ${config.dataFolder}. Start the gateway once, or set ${SETTINGS.data}.`,
    );
  }
  const headers = { authorization: `Bearer ${token.reveal()}`, "content-type": "application/json" };
  let response: Response;
  try {
    response = await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }), proxy: false });
  } catch {
    throw new CommandFailed(`no gateway answers at ${address}. Start it with npm start; ${SETTINGS.platformPort} says where it is.`);
  }
  const answer = (await response.json().catch(() => {
    throw new CommandFailed(`what answers at ${address} is not a gateway`);
  })) as T & { error?: { message: string } };
  if (response.status === 401) throw new CommandFailed(`the gateway at ${address} does not take the operator token from ${origin}`);
  if (!response.ok) throw new CommandFailed(answer.error?.message ?? `the gateway answered with status ${response.status}`);
  return answer;
}
