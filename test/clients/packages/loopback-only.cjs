/**
 * Loaded into Node.js by NODE_OPTIONS, against calls to other machines. Continue's CLI asks for its newest version and promptfoo reports that
 * its telemetry is off, and neither has a setting for that.
 *
 * It covers host names that Node.js resolves by `dns.lookup`, which `fetch`, `node:http` and `node:net` use. It does not cover addresses,
 * `dns.resolve` and `dns.promises`, nor programs that are not Node.js: opencode and Cline are executables of Bun, which ignores NODE_OPTIONS. For these
 * the test sets the variables of an HTTP proxy that does not exist, which the `fetch` of both uses. Neither layer is a sandbox: a program
 * that opens a socket to an address by itself reaches it.
 */
const dns = require("node:dns");

const lookup = dns.lookup;

dns.lookup = (host, ...rest) => {
  if (["localhost", "127.0.0.1", "::1"].includes(host)) return lookup(host, ...rest);
  const refused = Object.assign(new Error(`Tests reach this machine only, not ${host}.`), { code: "ENOTFOUND" });
  process.nextTick(rest.at(-1), refused);
};
