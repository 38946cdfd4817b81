import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Servers on several addresses of this machine, all on one port, that count connections. */
export interface LoopbackListeners {
  readonly port: number;
  readonly addresses: readonly string[];
  /** The number of connections to any of them so far. */
  accepted(): Promise<number>;
  stop(): void;
}

const ADDRESSES = ["127.0.0.1", "127.0.0.2", "127.255.255.254", "::1"];
const REPLY = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

export async function listenOnLoopback(): Promise<LoopbackListeners> {
  /** The source ports of connections, and the source ports of this class's own connections. */
  const callers: number[] = [];
  let own = 0;
  const open = new Set<Socket>();
  const { port, servers } = await listenOnOnePort((socket) => {
    callers.push(socket.remotePort!);
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    socket.on("data", () => socket.write(REPLY));
  });
  return {
    port,
    addresses: [...servers.keys()],
    async accepted() {
      // Connections are accepted in the order in which they were made. When the own connections are counted, all earlier connections are
      // counted too.
      for (const address of servers.keys()) {
        const before = callers.length;
        const socket = connect(port, address);
        await once(socket, "connect");
        while (!callers.includes(socket.localPort!, before)) await Bun.sleep(1);
        own += 1;
        socket.destroy();
      }
      return callers.length - own;
    },
    stop() {
      for (const server of servers.values()) server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Tries ports until one is free on every address that this machine has. */
async function listenOnOnePort(answer: (socket: Socket) => void): Promise<{ port: number; servers: Map<string, Server> }> {
  for (;;) {
    const servers = new Map<string, Server>();
    let port = 0;
    let isTaken = false;
    for (const address of ADDRESSES) {
      const server = createServer(answer);
      const listening = await listen(server, port, address);
      if (listening === "taken") isTaken = true;
      if (listening !== true) continue;
      port ||= (server.address() as AddressInfo).port;
      servers.set(address, server);
    }
    if (!isTaken) return { port, servers };
    for (const server of servers.values()) server.close();
  }
}

async function listen(server: Server, port: number, address: string): Promise<true | "taken" | "no such address"> {
  try {
    server.listen(port, address);
    await once(server, "listening");
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EADDRINUSE" ? "taken" : "no such address";
  }
}

/**
 * Addresses outside of this machine to which it has a connection on a port, or tries to make one. The listeners here cannot see these
 * connections.
 */
export function dialledElsewhere(port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].filter((file) => existsSync(file));
  const remotes = tables.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(1)
      .flatMap((line) => line.trim().split(/\s+/)[2] ?? []),
  );
  const here = /^(?:0{24}01000000|0{16}FFFF0000)?(?:[\dA-F]{6}7F)?:/;
  return remotes.filter((remote) => remote.endsWith(suffix) && !here.test(remote));
}
