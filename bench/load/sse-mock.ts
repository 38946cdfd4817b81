/** A mock upstream for load. The model name selects the response; README.md has the table. */
import { exit, stderr, stdout } from "node:process";
import { readArgument } from "./argument.ts";
import { MockConnection } from "./mock/connection.ts";

interface Options {
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

const options = readArgument<Options>([]);

function listen(port: number, tls?: { cert: Bun.BunFile; key: Bun.BunFile }): number {
  const server = Bun.listen<MockConnection | undefined>({
    hostname: "127.0.0.1",
    port,
    ...(tls && { tls }),
    socket: {
      open: (socket) => {
        socket.setNoDelay(true);
        socket.data = new MockConnection(socket);
      },
      data: (socket, bytes) => socket.data?.take(bytes),
      drain: (socket) => socket.data?.drain(),
      // A TLS connection that is closed during the handshake was never open.
      close: (socket) => socket.data?.close(),
      error: (socket, error) => {
        stderr.write(`${error.stack}\n`);
        socket.terminate();
      },
    },
  });
  return server.port;
}

const plain = listen(options.port ?? 0);
const secure = options.tls && listen(0, { cert: Bun.file(options.tls.cert), key: Bun.file(options.tls.key) });
process.on("SIGTERM", () => exit(0));
stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${plain}`, tlsUrl: secure ? `https://127.0.0.1:${secure}` : null })}\n`);
