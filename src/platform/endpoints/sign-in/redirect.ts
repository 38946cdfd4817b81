import type { Exchange } from "../../../http/endpoint.ts";
import { toApiError } from "../../../http/error-reply.ts";
import { basePathOf } from "../../../lib/net/public-address.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** Redirects a browser. It has followed a link, so an error is shown on the sign-in page by its code; the details are in the log. */
export async function redirectWithError(exchange: Exchange, platform: Platform, go: () => Promise<Reply>): Promise<Reply> {
  try {
    return await go();
  } catch (error) {
    return redirect(`${firstPage(platform)}#${toApiError(error, exchange.notes).code}`);
  }
}

/** The path of the first page, which shows the signed-in person or the sign-in form. */
export function firstPage({ publicUrl }: Platform): string {
  return `${basePathOf(publicUrl())}/`;
}

export function redirect(location: string, cookies: readonly string[] = []): Reply {
  const reply = new Reply(null, { status: 302, headers: { location } });
  reply.cookies.push(...cookies);
  return reply;
}
