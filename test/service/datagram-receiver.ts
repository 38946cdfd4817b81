import { dlopen, ptr } from "bun:ffi";
import { closeSync } from "node:fs";

const { symbols: libc } = dlopen("libc.so.6", {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
  recv: { args: ["i32", "ptr", "usize", "i32"], returns: "i64" },
});

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

/** A datagram socket, as a service manager has. Bun cannot open one. */
export class DatagramReceiver implements Disposable {
  readonly #descriptor: number;
  readonly messages: string[] = [];

  /** A path, or an abstract name that starts with `@`. */
  constructor(name: string) {
    const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
    const address = Buffer.concat([family, Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`)]);
    this.#descriptor = libc.socket(AF_UNIX, SOCK_DGRAM, 0);
    if (libc.bind(this.#descriptor, ptr(address), address.length) !== 0) throw new Error(`${name} cannot be bound`);
  }

  /** All messages so far. */
  receive(): readonly string[] {
    const buffer = Buffer.alloc(4096);
    for (;;) {
      const length = Number(libc.recv(this.#descriptor, ptr(buffer), buffer.length, MSG_DONTWAIT));
      if (length < 0) return this.messages;
      this.messages.push(buffer.toString("utf8", 0, length));
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}
