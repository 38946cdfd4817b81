import type { Exchange } from "../../../http/endpoint.ts";
import { toGatewayError } from "../../../http/error-reply.ts";
import { basePathOf } from "../../../lib/net/public-address.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/**
 * Sends a browser on. Whoever comes here has followed a link, so what goes wrong is told on the sign-in page, by its code; the
 * rest is in the log.
 */
export async function sendOn(exchange: Exchange, platform: Platform, go: () => Promise<Reply>): Promise<Reply> {
  try {
    return await go();
  } catch (error) {
    return redirect(`${firstPage(platform)}#${toGatewayError(error, exchange.notes).code}`);
  }
}

/** The path of the page that shows who is signed in, or has them sign in. */
export function firstPage({ address }: Platform): string {
  return `${basePathOf(address())}/`;
}

export function redirect(location: string, cookies: readonly string[] = []): Reply {
  const reply = new Reply(null, { status: 302, headers: { location } });
  reply.cookies.push(...cookies);
  return reply;
}
