import { join } from "node:path";
import { setSystemTime } from "bun:test";
import { Webhook as Receiver } from "standardwebhooks";
import { spawnListening } from "../support/spawn-listening.ts";

/** A received message. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A misbehaving receiver, in its own process. */
export interface BadReceiver {
  readonly origin: string;
  seen(path?: string): Promise<readonly ReceivedMessage[]>;
  stop(): Promise<void>;
}

export async function startBadReceiver(): Promise<BadReceiver> {
  const { port, stop } = await spawnListening(join(import.meta.dir, "bad-receiver.ts"));
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    async seen(path) {
      const all = (await (await fetch(`${origin}/seen`)).json()) as ReceivedMessage[];
      return all.filter((each) => path === undefined || each.path === path);
    },
    stop,
  };
}

/** Verifies a message with the official package at the time it was signed. Throws when it is not authentic. */
export function verified({ headers, body }: ReceivedMessage, secret: string): unknown {
  setSystemTime(new Date(Number(headers["webhook-timestamp"]) * 1000));
  try {
    return new Receiver(secret).verify(body, headers);
  } finally {
    setSystemTime();
  }
}
