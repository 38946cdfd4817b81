/** What a stand-in was asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
}

/** A server in the place of a platform, which answers with whatever a test wants and remembers what it was asked. */
export interface StandIn {
  readonly url: string;
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

export function startStandIn(answer: (path: string) => Response): StandIn {
  const asked: Asked[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ method, url, headers }) {
      const { pathname: path } = new URL(url);
      asked.push({ method, path, authorization: headers.get("authorization") });
      return answer(path);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) };
}
