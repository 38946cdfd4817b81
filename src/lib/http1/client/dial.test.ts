import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { dial } from "./dial.ts";
import { ConnectionPool } from "./connection-pool.ts";

/** The server name in a ClientHello (RFC 8446 §4.1.2, RFC 6066 §3), if it has one. */
function serverNameIn(hello: Buffer): string | undefined {
  // The session id, the ciphers and the compression follow the record header, the message header, the version and the random bytes.
  let at = 5 + 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  const end = at + 2 + hello.readUInt16BE(at);
  for (at += 2; at < end; at += 4 + hello.readUInt16BE(at + 2)) {
    if (hello.readUInt16BE(at) === 0) return hello.toString("latin1", at + 9, at + 4 + hello.readUInt16BE(at + 2));
  }
  return undefined;
}

/** The server name that is sent for an upstream with this host. */
async function serverNameSentTo(hostname: string, address: string): Promise<string | undefined> {
  const hello = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (bytes: Buffer) => {
      hello.resolve(bytes);
      socket.destroy();
    });
  }).listen(0, address);
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const outcome = await dial(ConnectionPool.at(address, { isEncrypted: true, hostname, port })).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(Error);
    return serverNameIn(await hello.promise);
  } finally {
    server.close();
  }
}

test.each([
  ["a host name", "name.test", "127.0.0.1", "name.test"],
  ["a host name with its final dot", "name.test.", "127.0.0.1", "name.test"],
  ["an IPv4 address", "127.0.0.1", "127.0.0.1", undefined],
  ["an IPv6 address", "[::1]", "::1", undefined],
])("SNI for %s", async (_, hostname, address, serverName) => {
  expect(await serverNameSentTo(hostname, address)).toBe(serverName);
});
