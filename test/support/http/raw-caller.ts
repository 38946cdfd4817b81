import { connect } from "node:net";

/** Sends these pieces one after the other, each character as a byte, and returns all received data until the connection ends. */
export async function sendPieces(port: number, pieces: readonly string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const received: Buffer[] = [];
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let outcome = "";
  socket.on("data", (data) => received.push(Buffer.from(data)));
  socket.on("error", () => (outcome = " and a reset"));
  socket.on("close", () => resolve(Buffer.concat(received).toString("latin1") + outcome));
  for (const piece of pieces) {
    await new Promise<void>((sent) => socket.write(Buffer.from(piece, "latin1"), () => sent()));
  }
  return promise;
}
