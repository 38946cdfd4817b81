import { join } from "node:path";
import { loadClientConfig, SETTINGS, type ClientConfig } from "../config.ts";
import { urlOf } from "../http/serve.ts";
import { readSecret } from "../stores/secret-file.ts";
import { baseUrlOf } from "../lib/net/public-address.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { CommandFailed } from "./command.ts";
import { TOLLGATE } from "../lib/this-program.ts";
import { readFileSync } from "node:fs";
import type { ListenerSettings } from "../config/listener-settings.ts";
import type { NamedFile } from "../config/tls/tls-files.ts";
import { messageOf } from "../lib/text/message-of.ts";

interface PlatformRequest {
  readonly method: string;
  /** The path, including the query string. */
  readonly path: string;
  readonly body?: object | undefined;
  /** The endpoint needs no credential, so none is sent. */
  readonly isPublic?: boolean;
}

export interface PlatformResponse {
  readonly status: number;
  readonly body: unknown;
}

/** A problem as the platform reports it (RFC 9457). `param` names the invalid field of the request, if there is one. */
interface PlatformProblem {
  readonly code?: string;
  readonly detail?: string;
  readonly param?: string | null;
}

/** The platform rejected the request. */
export class PlatformRejected extends CommandFailed {
  readonly param: string | undefined;

  constructor(detail: string, problem: PlatformProblem) {
    super(detail, { problem });
    this.param = problem.param ?? undefined;
  }
}

/** Calls the platform API of a running gateway. Throws `CommandFailed` unless the call succeeds. */
export async function callPlatform(request: PlatformRequest): Promise<PlatformResponse> {
  const { response, address } = await send(request);
  return { status: response.status, body: await readBody(response, address) };
}

/** Streams a response that is not JSON. */
export async function streamPlatform(request: PlatformRequest): Promise<ReadableStream<Uint8Array>> {
  const { response } = await send(request);
  return response.body!;
}

async function send({ method, path, body, isPublic }: PlatformRequest): Promise<{ response: Response; address: string }> {
  const config = loadClientConfig();
  const { address, connection } = await targetOf(config);
  const credential = isPublic ? undefined : credentialOf(config);
  const response = await fetchOrExplain(address, path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(credential && { authorization: `Bearer ${credential.token.reveal()}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    // The credential is sent only to the configured address, never to a redirect target.
    redirect: "manual",
    timeout: false,
    proxy: false,
    ...connection,
  });
  if (response.ok) return { response, address };
  const problem = (await readBody(response, address)) as PlatformProblem;
  if (response.status === 401 && credential)
    throw new PlatformRejected(`the gateway at ${address} rejected the ${credential.origin}`, problem);
  throw new PlatformRejected(problem.detail ?? `the gateway at ${address} returned status ${response.status}`, problem);
}

/**
 * The platform's URL, and how to connect to it. A unix socket or a certificate belongs to a platform on this machine. That platform is
 * called directly, not through the proxy and the name that other machines use.
 */
async function targetOf({ platformUrl, platform }: ClientConfig): Promise<{ address: string; connection: BunFetchRequestInit }> {
  const isOnThisMachine = platform.socket !== undefined || platform.tls !== undefined || !platformUrl;
  return {
    address: isOnThisMachine ? urlOf(platform) : baseUrlOf(platformUrl),
    connection: isOnThisMachine ? await connectionTo(platform) : {},
  };
}

/** The access token if there is one, otherwise the operator token of the environment, otherwise the operator token of the data folder. */
function credentialOf({ accessToken, operatorToken, dataFolder, platformUrl }: ClientConfig): { token: Secret; origin: string } {
  if (accessToken) return { token: accessToken, origin: `access token from ${SETTINGS.accessToken}` };
  if (operatorToken) return { token: operatorToken, origin: `operator token from ${SETTINGS.operatorToken}` };
  const file = join(dataFolder, "operator-token");
  const token = readTokenFile(file);
  if (token) return { token, origin: `operator token from ${file}` };
  // Starting a gateway would create a token for this machine's gateway, but not for a remote gateway.
  const advice = platformUrl
    ? `Create an access token at ${baseUrlOf(platformUrl)} and set ${SETTINGS.accessToken} to it.`
    : `Start the gateway once, or set ${SETTINGS.data}.`;
  throw new CommandFailed(
    `no token: neither ${SETTINGS.accessToken} nor ${SETTINGS.operatorToken} is set, and there is no operator token in ${dataFolder}. ${advice}`,
    { problem: { code: "no_token" } },
  );
}

/** The data folder of a gateway that runs as another user cannot be read. */
function readTokenFile(path: string): Secret | undefined {
  try {
    return readSecret(path);
  } catch (error) {
    throw new CommandFailed(
      `the operator token cannot be read (call this as the gateway's user, or set ${SETTINGS.accessToken}): ${(error as Error).message}`,
      { cause: error, problem: { code: "no_token" } },
    );
  }
}

async function fetchOrExplain(address: string, path: string, init: BunFetchRequestInit): Promise<Response> {
  try {
    return await fetch(`${address}${path}`, init);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new CommandFailed(
      `no gateway is reachable at ${init.unix ?? address}${code}. Start it with ${TOLLGATE} start, or set ${SETTINGS.platformUrl} or ${SETTINGS.platformPort} to its address.`,
      { cause: error, problem: { code: "no_gateway" } },
    );
  }
}

/** Every response of the platform is JSON, except responses without a body. */
async function readBody(response: Response, address: string): Promise<unknown> {
  if (response.status === 204) return null;
  const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get("content-type") ?? "");
  const body: unknown = isJson ? await response.json().catch(() => undefined) : undefined;
  if (typeof body === "object" && body !== null) return body;
  throw new CommandFailed(`the server at ${address} is not a Tollgate gateway`, { problem: { code: "no_gateway" } });
}

/** How to connect to a listener of this machine, in addition to its URL. */
async function connectionTo({ socket, tls }: ListenerSettings): Promise<BunFetchRequestInit> {
  if (socket) return { unix: socket.path };
  return tls ? { tls: await trustOnly(tls.certificate) } : {};
}

/** Pins this certificate: its issuer and its name are not checked. */
async function trustOnly({ variable, path }: NamedFile): Promise<BunFetchRequestInitTLS> {
  // Loaded lazily: most listeners are called without it.
  const { X509Certificate } = await import("node:crypto");
  try {
    const certificate = new X509Certificate(readFileSync(path));
    // Bun's types lack `allowPartialTrustChain`, with which the issuer of the certificate need not be known.
    const trust = { ca: certificate.toString(), allowPartialTrustChain: true };
    return { ...trust, checkServerIdentity: (_, { raw }) => (raw.equals(certificate.raw) ? undefined : new Error("another certificate")) };
  } catch (error) {
    throw new CommandFailed(`${variable}: ${path} cannot be read: ${messageOf(error)}`);
  }
}
