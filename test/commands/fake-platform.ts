/** A request that the fake platform received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
}

/** A fake platform with a fixed response, which records the requests. */
export interface FakePlatform {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  stop(): Promise<void>;
}

export function startFakePlatform(respond: (path: string) => Response): FakePlatform {
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ method, url, headers }) {
      const { pathname: path } = new URL(url);
      received.push({ method, path, authorization: headers.get("authorization") });
      return respond(path);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) };
}
