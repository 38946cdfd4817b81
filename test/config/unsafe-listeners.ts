import type { UnsafeConfig } from "./unsafe-configs.ts";

/** A listener without a port. */
const ON_SOCKET = { TOLLGATE_PORT: "", TOLLGATE_SOCKET: "gateway.sock" };
const PLATFORM_ON_SOCKET = { TOLLGATE_PLATFORM_PORT: "", TOLLGATE_PLATFORM_SOCKET: "platform.sock" };
const PAIR = { TOLLGATE_TLS_CERT: "tls.crt", TOLLGATE_TLS_KEY: "tls.key" };

/** Invalid settings of Unix sockets and TLS. */
export const UNSAFE_LISTENERS: readonly UnsafeConfig[] = [
  {
    name: "a socket and a port",
    env: { TOLLGATE_SOCKET: "gateway.sock", TOLLGATE_PORT: "8700" },
    place: "TOLLGATE_SOCKET and TOLLGATE_PORT",
    reason: "a unix socket or a port",
  },
  {
    name: "a socket and an address",
    env: { ...PLATFORM_ON_SOCKET, TOLLGATE_PLATFORM_HOST: "127.0.0.1" },
    place: "TOLLGATE_PLATFORM_SOCKET and TOLLGATE_PLATFORM_HOST",
    reason: "a unix socket or a port",
  },
  {
    name: "a socket with TLS",
    env: { ...ON_SOCKET, ...PAIR },
    place: "TOLLGATE_SOCKET and TOLLGATE_TLS_CERT",
    reason: "TLS is for a port",
  },
  {
    name: "one socket for both",
    env: { ...ON_SOCKET, ...PLATFORM_ON_SOCKET, TOLLGATE_PLATFORM_SOCKET: "gateway.sock" },
    place: "TOLLGATE_SOCKET and TOLLGATE_PLATFORM_SOCKET",
    reason: "need different sockets",
  },
  {
    name: "a socket with a path that is too long",
    env: { ...ON_SOCKET, TOLLGATE_SOCKET: `/${"a".repeat(103)}` },
    place: "TOLLGATE_SOCKET",
    reason: "has 104 bytes: the path of a socket has at most 103",
  },
  {
    name: "a socket of the platform, at no known address",
    env: PLATFORM_ON_SOCKET,
    place: "TOLLGATE_PLATFORM_SOCKET",
    reason: "set TOLLGATE_PLATFORM_URL",
  },
  { name: "a mode without a socket", env: { TOLLGATE_SOCKET_MODE: "600" }, place: "TOLLGATE_SOCKET_MODE", reason: "no effect without" },
  ...["rw-rw----", "6660", "68", "-1"].map((mode) => ({
    name: `the mode ${mode}`,
    env: { ...ON_SOCKET, TOLLGATE_SOCKET_MODE: mode },
    place: "TOLLGATE_SOCKET_MODE",
    reason: "must be the mode of a file",
  })),
  {
    name: "a socket in a folder that does not exist",
    env: { ...ON_SOCKET, TOLLGATE_SOCKET: "nowhere/gateway.sock" },
    place: "TOLLGATE_SOCKET",
    reason: "nowhere/gateway.sock, in a folder that does not exist",
  },
  {
    name: "a certificate without its key",
    env: { TOLLGATE_TLS_CERT: "tls.crt" },
    place: "TOLLGATE_TLS_CERT",
    reason: "TOLLGATE_TLS_KEY is not: a certificate needs its key",
  },
  {
    name: "a key without its certificate",
    env: { TOLLGATE_PLATFORM_TLS_KEY: "tls.key" },
    place: "TOLLGATE_PLATFORM_TLS_KEY",
    reason: "TOLLGATE_PLATFORM_TLS_CERT is not",
  },
  { name: "a certificate that does not exist", env: PAIR, place: "TOLLGATE_TLS_CERT", reason: "/tls.crt does not exist" },
];
