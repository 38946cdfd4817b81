import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A requested tunnel: the authority, and the credentials sent with it. */
export interface RequestedTunnel {
  readonly authority: string;
  readonly authorization: string | undefined;
}

export interface ConnectProxy {
  readonly port: number;
  readonly tunnels: RequestedTunnel[];
  stop(): void;
}

/**
 * An HTTP proxy for CONNECT. `answer` decides by the authority: a status rejects the tunnel, text is sent instead of a reply, and a port of
 * this machine is connected to.
 */
export async function startConnectProxy(
  answer: (authority: string) => { status: number } | { text: string } | { port: number },
): Promise<ConnectProxy> {
  const tunnels: RequestedTunnel[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on("error", () => client.destroy()));
    client.once("data", (bytes) => {
      const [line = "", ...fields] = bytes.toString("latin1").split("\r\n");
      const authority = /^CONNECT (\S+) HTTP\/1\.1$/.exec(line)?.[1] ?? `not CONNECT: ${line}`;
      tunnels.push({ authority, authorization: fields.map((each) => /^proxy-authorization: (.*)$/i.exec(each)?.[1]).find(Boolean) });
      const what = answer(authority);
      if ("status" in what) return client.end(`HTTP/1.1 ${what.status} No\r\ncontent-length: 0\r\n\r\n`);
      if ("text" in what) return client.end(what.text);
      const upstream = connect(what.port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      return sockets.add(upstream.on("error", () => client.destroy()));
    });
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  return {
    port: (server.address() as AddressInfo).port,
    tunnels,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
