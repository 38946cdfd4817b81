/** Whether anything accepts a connection at this address in time. A refusal counts: somebody is there to refuse. */
export async function canConnect(address: string, withinMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const { promise: answered, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), withinMs);
  void Bun.connect({
    hostname: hostname.replaceAll(/[[\]]/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    socket: {
      open(socket) {
        resolve(true);
        socket.end();
      },
      data() {},
      connectError: () => resolve(true),
    },
  }).catch(() => resolve(true));
  const connected = await answered;
  clearTimeout(timer);
  return connected;
}
