import type { Log } from "../../../lib/log/log.ts";
import { messageOf } from "../../../lib/text/message-of.ts";

/** Tells the service manager the state of this process. */
export interface ServiceNotifier {
  /** Requests are served. */
  ready(): void;
  /** The configuration is being reloaded, until `ready` is called again. */
  reloading(): void;
  /** The process ends within the given number of seconds. */
  stopping(withinSeconds: number): void;
}

/**
 * The protocol of systemd: a datagram to its socket for each state (sd_notify(3)). `socket` is undefined if no service manager has started
 * this process. A message that cannot be sent is logged, because systemd then considers the start a failure.
 */
export function serviceNotifier(socket: string | undefined, log: Log): ServiceNotifier {
  const notify = async (text: string): Promise<void> => {
    if (socket === undefined) return;
    try {
      // Loaded lazily: it needs the C library of Linux.
      const { sendDatagram } = await import("../../../lib/net/libc-socket.ts");
      sendDatagram(socket, text);
    } catch (error) {
      const reason = messageOf(error);
      log.write({ level: "warn", event: "service_unnotified", message: `systemd has not received ${text.split("\n")[0]}: ${reason}` });
    }
  };
  return {
    ready: () => void notify("READY=1"),
    reloading: () => void notify("RELOADING=1"),
    // Without the extension, systemd kills the process after TimeoutStopSec, which does not include the drain timeout.
    stopping: (withinSeconds) => void notify(`STOPPING=1\nEXTEND_TIMEOUT_USEC=${withinSeconds * 1_000_000}`),
  };
}
