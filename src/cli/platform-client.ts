import { join } from "node:path";
import { loadClientConfig, SETTINGS, type ClientConfig } from "../config.ts";
import { reachable } from "../http/serve.ts";
import { readSecret } from "../stores/secret-file.ts";
import { addressOf } from "../lib/net/public-address.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { CommandFailed } from "./command.ts";

export interface PlatformRequest {
  readonly method: string;
  /** With its query, if it has one. */
  readonly path: string;
  readonly body?: object | undefined;
  /** It is let in without a credential, and so none is sent. */
  readonly isOpen?: boolean;
}

export interface Answered {
  readonly status: number;
  readonly answer: unknown;
}

/** What the platform says is wrong (RFC 9457). `param` names the field of the request that is at fault, if one is. */
interface PlatformProblem {
  readonly code?: string;
  readonly detail?: string;
  readonly param?: string | null;
}

/** The platform understood the call and refused it. */
export class Refused extends CommandFailed {
  readonly param: string | undefined;

  constructor(detail: string, problem: PlatformProblem) {
    super(detail, { problem });
    this.param = problem.param ?? undefined;
  }
}

/** Calls the platform API of a running gateway. Throws `CommandFailed` where there is no good answer. */
export async function callPlatform(request: PlatformRequest): Promise<Answered> {
  const { response, address } = await reachPlatform(request);
  return { status: response.status, answer: await readAnswer(response, address) };
}

/** The same for an answer that is no JSON, and may be long. */
export async function readPlatform(path: string): Promise<ReadableStream<Uint8Array>> {
  const { response } = await reachPlatform({ method: "GET", path });
  return response.body!;
}

async function reachPlatform({ method, path, body, isOpen }: PlatformRequest): Promise<{ response: Response; address: string }> {
  const config = loadClientConfig();
  const address = addressFor(config);
  const credential = isOpen ? undefined : credentialOf(config);
  const response = await send(address, path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(credential && { authorization: `Bearer ${credential.token.reveal()}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    // A credential goes to the address it was given for, and to no other that this one names.
    redirect: "manual",
    timeout: false,
    proxy: false,
  });
  if (response.ok) return { response, address };
  const problem = (await readAnswer(response, address)) as PlatformProblem;
  if (response.status === 401 && credential) throw new Refused(`the gateway at ${address} does not take the ${credential.origin}`, problem);
  throw new Refused(problem.detail ?? `the gateway at ${address} answered with status ${response.status}`, problem);
}

function addressFor({ platformUrl, platform }: ClientConfig): string {
  return platformUrl ? addressOf(platformUrl) : `http://${reachable(platform.hostname)}:${platform.port}`;
}

/** A person's token if there is one, else the operator's, else the one that the gateway of this folder has made for itself. */
function credentialOf({ accessToken, operatorToken, dataFolder, platformUrl }: ClientConfig): { token: Secret; origin: string } {
  if (accessToken) return { token: accessToken, origin: `access token from ${SETTINGS.accessToken}` };
  if (operatorToken) return { token: operatorToken, origin: `operator token from ${SETTINGS.operatorToken}` };
  const file = join(dataFolder, "operator-token");
  const token = readSecret(file);
  if (token) return { token, origin: `operator token from ${file}` };
  // What a start would make here is no token of a gateway elsewhere.
  const advice = platformUrl
    ? `Make an access token at ${addressOf(platformUrl)} and set ${SETTINGS.accessToken} to it.`
    : `Start the gateway once, or set ${SETTINGS.data}.`;
  throw new CommandFailed(
    `no token: neither ${SETTINGS.accessToken} nor ${SETTINGS.operatorToken} is set, and there is no operator token in ${dataFolder}. ${advice}`,
    { problem: { code: "no_token" } },
  );
}

async function send(address: string, path: string, init: BunFetchRequestInit): Promise<Response> {
  try {
    return await fetch(`${address}${path}`, init);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new CommandFailed(
      `no gateway answers at ${address}${code}. Start it with npm start; ${SETTINGS.platformUrl} or ${SETTINGS.platformPort} says where it is.`,
      { cause: error, problem: { code: "no_gateway" } },
    );
  }
}

/** Every answer of the platform is JSON, save those that have nothing to say. */
async function readAnswer(response: Response, address: string): Promise<unknown> {
  if (response.status === 204) return null;
  const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get("content-type") ?? "");
  const answer: unknown = isJson ? await response.json().catch(() => undefined) : undefined;
  if (typeof answer === "object" && answer !== null) return answer;
  throw new CommandFailed(`what answers at ${address} is not a gateway`, { problem: { code: "no_gateway" } });
}
