/**
 * Headers of every platform reply. Pages load nothing from other origins, run no inline script, and cannot be framed or reached from the
 * window that opened them; replies are private to the client, so no intermediary may cache them.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The policy of the page for holders of keys: a key that is entered there can be sent to the gateway's model list, and nowhere else. */
export function keyPagePolicy(gatewayUrl: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src ${gatewayUrl}/models; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

/** Half a year, a common value. Without subdomains, which may belong to others. */
const HSTS = { "strict-transport-security": "max-age=15768000" };

/**
 * The headers, with HSTS where the public URL of the platform has TLS: a browser that has used it once never connects without TLS again. Not for
 * localhost: HSTS is for all ports of a name, and would keep a browser from every other server on its machine.
 */
export function securityHeaders(publicUrl: URL | undefined): Readonly<Record<string, string>> {
  return publicUrl?.protocol === "https:" && publicUrl.hostname !== "localhost" ? { ...HEADERS, ...HSTS } : HEADERS;
}
