/**
 * Loaded into Node.js by NODE_OPTIONS: only this machine can be reached. Continue's CLI asks for its newest version and promptfoo reports that
 * its telemetry is off, and neither has a setting for that.
 */
const dns = require("node:dns");

const lookup = dns.lookup;

dns.lookup = (host, ...rest) => {
  if (["localhost", "127.0.0.1", "::1"].includes(host)) return lookup(host, ...rest);
  const refused = Object.assign(new Error(`Tests reach this machine only, not ${host}.`), { code: "ENOTFOUND" });
  process.nextTick(rest.at(-1), refused);
};
