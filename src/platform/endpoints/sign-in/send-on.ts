import type { Exchange } from "../../../http/endpoint.ts";
import { toGatewayError } from "../../../http/error-reply.ts";

/**
 * Sends a browser on. Whoever comes here has followed a link, so what goes wrong is told on the sign-in page, by its code; the
 * rest is in the log.
 */
export async function sendOn(exchange: Exchange, go: () => Promise<Response>): Promise<Response> {
  try {
    return await go();
  } catch (error) {
    return redirect(`/#${toGatewayError(error, exchange.notes).code}`);
  }
}

export function redirect(location: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 302, headers: { location } });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
