import { notListening } from "./listen-error.ts";

/**
 * The number of a port that no program listens on: the given port, or any port for 0. Processes that share a port do not notice other
 * programs that share it as well, so one process first checks the port without sharing. Throws the same errors as a listener.
 */
export function findFreePort(hostname: string, port: number): number {
  try {
    const socket = Bun.listen({ hostname, port, exclusive: true, socket: { data: () => undefined } });
    socket.stop(true);
    return socket.port;
  } catch (error) {
    throw notListening(error, `${hostname}, port ${port}`);
  }
}
