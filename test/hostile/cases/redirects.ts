import { both, FAILED, openaiCases, type HostileCase, type Play } from "../hostile-case.ts";

const STATUSES = [300, 301, 302, 303, 305, 307, 308];

/** Targets of redirects, given the host of the upstream. */
const TARGETS: Record<string, (ownHost: string) => string> = {
  "to a place beside it": (host) => `http://${host}/inside/v1/chat/completions`,
  "by a relative path": () => "/inside/v1/chat/completions",
  "without a scheme": (host) => `//${host}/inside`,
};

const MORE_TARGETS: Record<string, (ownHost: string, path: string) => string> = {
  "to itself, for ever": (host, path) => `http://${host}${path}`,
  "to the metadata of a cloud": () => "http://169.254.169.254/latest/meta-data/",
  "to a file": () => "file:///etc/passwd",
  "to a script": () => "javascript:alert(1)",
  "to data": () => "data:application/json,{}",
  "to a name with our credential": (host) => `http://canary:canary@${host}/inside`,
  "to nothing": () => "",
  "to something that is not an address": () => "http://[::1",
  "to an address of 10,000 letters": (host) => `http://${host}/inside/${"x".repeat(10_000)}`,
};

function redirects(status: number, target: (ownHost: string, path: string) => string, more: readonly string[] = []): Play {
  return (socket, { head }) => {
    const host = /^host: (.*)$/im.exec(head)![1]!.trim();
    const path = head.split(" ")[1]!;
    const lines = [`HTTP/1.1 ${status} Go`, `location: ${target(host, path)}`, ...more, "content-length: 0"];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  };
}

type Row = [string, Omit<HostileCase, "name" | "dialect">];

/** Redirects are never followed. */
export const redirectCases = openaiCases(
  Object.fromEntries([
    ...STATUSES.flatMap((status) =>
      Object.entries(TARGETS).map(([name, target]): Row => [`a ${status} ${name}`, { play: redirects(status, target), ...both(FAILED) }]),
    ),
    ...Object.entries(MORE_TARGETS).map(([name, target]): Row => [`a redirect ${name}`, { play: redirects(307, target), ...both(FAILED) }]),
    [
      "a redirect to two places",
      { play: redirects(302, (host) => `http://${host}/inside`, ["location: http://127.0.0.1:1/inside"]), ...both(FAILED) },
    ] satisfies Row,
    ["a redirect by a refresh header", { play: redirects(500, () => "", ["refresh: 0; url=/inside"]), ...both(FAILED) }] satisfies Row,
  ]),
);
