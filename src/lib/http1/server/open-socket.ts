import { chmodSync } from "node:fs";
import type { Socket, SocketHandler, TLSOptions } from "bun";
import type { TlsPair, TlsPairSource } from "../../net/tls-pair.ts";
import { notListening } from "./listen-error.ts";

/** A unix socket: its path and the mode of its file, or the file descriptor of a socket that another process has opened. */
type UnixSocket = { readonly path: string; readonly mode: number } | { readonly descriptor: number };

/** Where a listener accepts connections. */
export interface ListenAddress {
  readonly hostname: string;
  readonly port: number;
  /** Whether other processes of this gateway listen on the same port: the kernel spreads connections over them. */
  readonly sharesPort?: boolean;
  /** The unix socket to listen on instead of the port. */
  readonly socket?: UnixSocket | undefined;
  /** The TLS pair for connections to the port. Without it, they are in plain text. */
  readonly tls?: TlsPairSource | undefined;
}

/** A socket that accepts connections. */
export interface OpenSocket {
  /** 0 for a unix socket. */
  readonly port: number;
  /** Accepts no more connections. With `true`, also closes the open connections. */
  stop(closesConnections?: boolean): void;
}

/** Exclusive use of the port. Otherwise, a second process could receive every other connection to this port. */
const OWN_PORT = { exclusive: true };
/** `SO_REUSEPORT`. Bun's types have it only for outgoing connections. */
const SHARED_PORT = { reusePort: true };

/** `SSL_OP_NO_TLSv1` and `SSL_OP_NO_TLSv1_1`, which are broken (RFC 8996). */
const NO_OLD_VERSIONS = 0x04000000 | 0x10000000;
const TLS = {
  secureOptions: NO_OLD_VERSIONS,
  // The TLS 1.2 ciphers with forward secrecy and authenticated encryption, which all TLS 1.3 ciphers have (RFC 9325 §4.2).
  ciphers: "ECDHE+AESGCM:ECDHE+CHACHA20",
  // The format of the ALPN extension: each name is preceded by its length (RFC 7301 §3.1).
  ALPNProtocols: Buffer.from("\x08http/1.1"),
} as const satisfies TLSOptions;

/** Opens the socket of a listener. Throws if it cannot listen. */
export function openSocket<Data>(address: ListenAddress, handlers: SocketHandler<Data>): OpenSocket {
  const { socket } = address;
  try {
    if (!socket) return openPort(address, handlers);
    return "path" in socket ? openPath(socket, handlers) : openDescriptor(socket.descriptor, handlers);
  } catch (error) {
    throw notListening(error, describeAddress(address));
  }
}

function describeAddress({ hostname, port, socket }: ListenAddress): string {
  if (!socket) return `${hostname}, port ${port}`;
  return "path" in socket ? socket.path : `file descriptor ${socket.descriptor}`;
}

function openPort<Data>({ hostname, port, sharesPort = false, tls }: ListenAddress, handlers: SocketHandler<Data>): OpenSocket {
  const socket = tls ? encrypted(tls, handlers) : handlers;
  return Bun.listen<Data>({ hostname, port, ...(sharesPort ? SHARED_PORT : OWN_PORT), socket });
}

function openPath<Data>({ path, mode }: { path: string; mode: number }, handlers: SocketHandler<Data>): OpenSocket {
  // The umask prevents other users from connecting before the file has its mode.
  const umask = process.umask(0o177);
  try {
    const listening = Bun.listen<Data>({ unix: path, socket: handlers });
    chmodSync(path, mode);
    return { port: 0, stop: (closesConnections) => listening.stop(closesConnections) };
  } finally {
    process.umask(umask);
  }
}

/** Bun's types have the descriptor only for connections. */
function openDescriptor<Data>(descriptor: number, socket: SocketHandler<Data>): OpenSocket {
  const options = { fd: descriptor, unix: "", socket };
  const listening = Bun.listen<Data>(options);
  return { port: 0, stop: (closesConnections) => listening.stop(closesConnections) };
}

/**
 * Handlers that start TLS on each connection when it is accepted. A Bun listener cannot change its TLS pair while it listens; these
 * handlers allow replacing the pair without closing the port. `isServer`, which Bun's `node:tls` uses in the same way, is missing from
 * Bun's types.
 */
function encrypted<Data>(pairs: TlsPairSource, handlers: SocketHandler<Data>): SocketHandler<Data> {
  const socket: SocketHandler<Data> = {
    ...handlers,
    // With this handler, a connection is opened before its handshake. Until the handshake is complete, it counts and times out like a
    // connection that sends nothing.
    handshake: () => undefined,
    error: (broken, thrown) => (isTlsFailure(thrown) ? undefined : handlers.error?.(broken, thrown)),
  };
  let pair: TlsPair | undefined;
  let upgrade = { tls: {}, socket, isServer: true };
  return {
    open(accepted: Socket<Data>) {
      if (pair !== pairs.current) {
        pair = pairs.current;
        upgrade = { ...upgrade, tls: { ...TLS, cert: pair.certificates, key: pair.key.reveal() } };
      }
      accepted.upgradeTLS(upgrade);
    },
    // Bun requires this handler or `data`, which would receive every encrypted byte as well.
    drain: () => undefined,
  };
}

/** Called when received bytes cannot be decrypted, or are an alert. The connection is then closed. */
function isTlsFailure(thrown: Error): boolean {
  return "code" in thrown && thrown.code === "EPROTO";
}
