import { rmSync } from "node:fs";
import { ConnectionLost, IpcConnection, type IpcHandlers } from "./ipc-connection.ts";

interface SocketState {
  readonly connection: IpcConnection;
}

/** A socket that other processes of this machine connect to. */
export interface IpcServer {
  /** Accepts no more connections. Open ones stay. */
  close(): void;
}

/**
 * Listens on a unix socket that only this user may connect to. A file that an earlier process left there is replaced. `accept` is called
 * for each connection.
 */
export function listenIpc(path: string, accept: (connection: IpcConnection) => IpcHandlers): IpcServer {
  rmSync(path, { force: true });
  // The mode is restricted from the start: others could connect between the creation of the socket and a later change of its mode.
  const umask = process.umask(0o177);
  try {
    return listen(path, accept);
  } finally {
    process.umask(umask);
  }
}

function listen(path: string, accept: (connection: IpcConnection) => IpcHandlers): IpcServer {
  const server = Bun.listen<SocketState>({
    unix: path,
    socket: {
      open: (socket) => void (socket.data = { connection: new IpcConnection(socket, accept) }),
      data: (socket, bytes) => socket.data.connection.received(bytes),
      drain: (socket) => socket.data.connection.writable(),
      close: (socket) => socket.data.connection.closed(),
    },
  });
  return { close: () => server.stop() };
}

/** Connects to a process that listens. Throws `ConnectionLost` if no process listens. */
export async function connectIpc(path: string, handlers: IpcHandlers): Promise<IpcConnection> {
  let connection: IpcConnection | undefined;
  try {
    await Bun.connect({
      unix: path,
      socket: {
        open: (socket) => void (connection = new IpcConnection(socket, () => handlers)),
        data: (_, bytes) => connection!.received(bytes),
        drain: () => connection!.writable(),
        close: () => connection?.closed(),
        connectError: () => undefined,
      },
    });
  } catch (error) {
    throw new ConnectionLost(`no process listens on ${path}`, { cause: error });
  }
  return connection!;
}
