import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigError, type Environment } from "./config-error.ts";
import type { TlsFiles } from "./tls/tls-files.ts";
import { isLoopback, readHost, readMode, readPort } from "./variables.ts";

/** Where a listener accepts connections. */
export interface ListenerSettings {
  /** The address, or `localhost` for a unix socket. */
  readonly hostname: string;
  readonly port: number;
  /** The unix socket that it listens on instead of the port, with the mode of its file. */
  readonly socket?: { readonly path: string; readonly mode: number } | undefined;
  /** The certificate and its key; undefined without TLS. */
  readonly tls?: TlsFiles | undefined;
}

/** The names of the variables. */
interface ListenerVariables {
  readonly host: string;
  readonly port: string;
  readonly socket: string;
  readonly socketMode: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
}

/** Access for the owner and the group. A reverse proxy's user can be added to the group. */
const DEFAULT_MODE = 0o660;

/**
 * The length of `sun_path` in macOS, without its terminating zero. Linux allows four bytes more; they are needed for the temporary name of
 * a socket that replaces another.
 */
const MAX_PATH_BYTES = 103;

export function readListener(env: Environment, names: ListenerVariables, defaultPort: number): ListenerSettings {
  if (env[names.socket]) return readSocket(env, names);
  if (env[names.socketMode]) throw new ConfigError(`${names.socketMode} has no effect without ${names.socket}`);
  const tls = readTlsFiles(env, names);
  return { hostname: readHost(env, names.host), port: readPort(env, names.port, defaultPort), tls };
}

function readSocket(env: Environment, names: ListenerVariables): ListenerSettings {
  const other = [names.host, names.port].find((name) => env[name]);
  if (other !== undefined) throw new ConfigError(`${names.socket} and ${other} are both set: a listener has a unix socket or a port`);
  const encrypting = [names.tlsCert, names.tlsKey].find((name) => env[name]);
  if (encrypting !== undefined) {
    throw new ConfigError(`${names.socket} and ${encrypting} are both set: TLS is for a port, and the proxy at a unix socket has its own`);
  }
  const path = resolve(env[names.socket]!);
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_PATH_BYTES) {
    throw new ConfigError(`${names.socket} is ${path}, which has ${bytes} bytes: the path of a socket has at most ${MAX_PATH_BYTES}`);
  }
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError(`${names.socket} is ${path}, in a folder that does not exist`);
  }
  return { hostname: "localhost", port: 0, socket: { path, mode: readMode(env, names.socketMode, DEFAULT_MODE) } };
}

function readTlsFiles(env: Environment, names: ListenerVariables): TlsFiles | undefined {
  const [certificate, key] = [names.tlsCert, names.tlsKey].map((variable) => env[variable] && { variable, path: resolve(env[variable]) });
  if (certificate && key) return { certificate, key };
  if (certificate) throw new ConfigError(`${names.tlsCert} is set, but ${names.tlsKey} is not: a certificate needs its key`);
  if (key) throw new ConfigError(`${names.tlsKey} is set, but ${names.tlsCert} is not: a key needs its certificate`);
  return undefined;
}

/** The platform and the gateway need different ports. The system would notice a conflict only at the second listener. */
export function refuseOverlap(
  gateway: ListenerSettings,
  platform: ListenerSettings,
  names: { readonly gateway: ListenerVariables; readonly platform: ListenerVariables },
): void {
  if (gateway.socket && gateway.socket.path === platform.socket?.path) {
    throw new ConfigError(
      `${names.gateway.socket} and ${names.platform.socket} are both ${gateway.socket.path}: the gateway and the platform need different sockets`,
    );
  }
  if (gateway.port === 0 || gateway.port !== platform.port || !isOneHost(gateway.hostname, platform.hostname)) return;
  throw new ConfigError(
    `${names.gateway.port} and ${names.platform.port} are both ${gateway.port}: the gateway and the platform need different ports`,
  );
}

function isOneHost(one: string, other: string): boolean {
  const isOnAll = [one, other].some((hostname) => /^(0\.0\.0\.0|::)$/.test(hostname));
  return isOnAll || one === other || (isLoopback(one) && isLoopback(other));
}
