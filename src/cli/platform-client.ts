import { join } from "node:path";
import { SETTINGS, type Config } from "../config.ts";
import { reachable } from "../http/serve.ts";
import { readSecret } from "../stores/secret-file.ts";
import { CommandFailed } from "./command.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Answered<T> {
  readonly status: number;
  readonly answer: T;
}

/** Calls the platform API of the running gateway, as the operator. */
export async function callPlatform<T>(config: Config, method: Method, path: string, body?: object): Promise<T> {
  return (await askPlatform<T>(config, method, path, body)).answer;
}

/** The same, with the status, where one success differs from another. */
export async function askPlatform<T>(config: Config, method: Method, path: string, body?: object): Promise<Answered<T>> {
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
    response = await fetch(`${address}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      timeout: false,
      proxy: false,
    });
  } catch {
    throw new CommandFailed(`no gateway answers at ${address}. Start it with npm start; ${SETTINGS.platformPort} says where it is.`);
  }
  const answer = (await response.json().catch(() => {
    throw new CommandFailed(`what answers at ${address} is not a gateway`);
  })) as T & { detail?: string };
  if (response.status === 401) throw new CommandFailed(`the gateway at ${address} does not take the operator token from ${origin}`);
  if (!response.ok) throw new CommandFailed(answer.detail ?? `the gateway answered with status ${response.status}`);
  return { status: response.status, answer };
}
