import type { AwsCloud } from "./aws-cloud.ts";

/** A double of an AWS service, on loopback. */
export interface AwsServer extends AsyncDisposable {
  readonly url: string;
  /** The method and path of each request so far. */
  readonly requests: readonly string[];
  /** Whether the double fails with 503. */
  isDown: boolean;
}

/** Starts a double. Every reply has the date of the cloud's clock. */
export function serveAws(cloud: AwsCloud, answer: (request: Request, path: string) => Response | Promise<Response>): AwsServer {
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      requests.push(`${request.method} ${pathname}`);
      const response = double.isDown ? new Response("down", { status: 503 }) : await answer(request, pathname + search);
      response.headers.set("date", new Date(cloud.nowMs()).toUTCString());
      return response;
    },
  });
  const double: AwsServer = {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    isDown: false,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return double;
}
