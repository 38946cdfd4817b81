import { expect, test } from "bun:test";
import { ApiError } from "../../requests/api-error.ts";
import { DEFAULT_TIMEOUTS } from "../../models/timeouts.ts";
import { Destination } from "./destination.ts";
import { send } from "./send.ts";
import { describeConnectionError } from "./unreachable.ts";

/** The message for a server that sends these bytes and closes the connection. */
async function troubleWith(bytes: string): Promise<string | undefined> {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end(bytes) } });
  const destination = new Destination({ baseUrl: `http://127.0.0.1:${server.port}`, allowPrivate: true });
  const { signal } = new AbortController();
  try {
    return await (await send({ destination, path: "/", headers: {}, signal, timeouts: DEFAULT_TIMEOUTS, streaming: false })).text();
  } catch (error) {
    return error instanceof ApiError ? error.detail : String(error);
  } finally {
    server.stop(true);
  }
}

test.each([
  ["nothing", "", "the connection was closed (ECONNRESET)"],
  ["half of an answer", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", "the connection was closed (ECONNRESET)"],
  ["parts that are none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "the response is not HTTP (InvalidHTTPResponse)"],
])("describes %s instead of a response", async (_, bytes, words) => {
  expect(await troubleWith(bytes)).toBe(words);
});

test("keeps the message of an unknown error code", () => {
  expect(describeConnectionError(Object.assign(new Error("Odd."), { code: "EODD" }))).toBe("Odd. (EODD)");
  expect(describeConnectionError(Object.assign(new Error("EODD: odd"), { code: "EODD" }))).toBe("EODD: odd");
  expect(describeConnectionError("odd")).toBe("odd");
});
