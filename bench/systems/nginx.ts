import { SYSTEM_CORE } from "../machine/cores.ts";
import { freePort } from "../machine/free-port.ts";
import { startNginx } from "../machine/nginx.ts";
import { NGINX } from "../machine/tools.ts";
import { targetAt, type System, type Upstream } from "./system.ts";

/** A relay that does nothing else: the practical limit that all other systems are compared with. */
export const nginx: System = {
  name: "nginx",
  version: NGINX === null ? "" : Bun.spawnSync([NGINX, "-v"]).stderr.toString().trim().replace("nginx version: ", ""),
  settings: "One worker, upstream keep-alive, no buffering, no access log. It relays and does nothing else.",
  renames: false,
  async start({ upstream }) {
    const port = await freePort();
    const running = await startNginx(SYSTEM_CORE, port, relayTo(upstream, port));
    return { name: "nginx", pid: running.pid, target: targetAt(port), stop: () => running.stop() };
  },
};

function relayTo({ url, authority }: Upstream, port: number): string {
  const { host, protocol } = new URL(url);
  const tls = authority
    ? `proxy_ssl_verify on; proxy_ssl_trusted_certificate ${authority}; proxy_ssl_name localhost; proxy_ssl_server_name on; proxy_ssl_protocols TLSv1.3;`
    : "";
  return `
  upstream mock { server ${host}; keepalive 2048; keepalive_requests 1000000000; keepalive_timeout 3600s; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${protocol}//mock; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 3600s; ${tls}
    }
  }`;
}
