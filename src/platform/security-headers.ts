/**
 * Headers of every platform reply. Pages load nothing from other origins, run no inline script, and cannot be framed or accessed by the
 * window that opened them. Replies are private to the client, so intermediaries must not cache them.
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

/** The policy of the page for holders of keys: a key that is entered there can only be sent to the gateway's model list. */
export function keyPagePolicy(gatewayUrl: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src ${gatewayUrl}/models; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

/** Half a year, a common value. Subdomains are not included, because they may belong to others. */
const HSTS = { "strict-transport-security": "max-age=15768000" };

/**
 * The headers, with HSTS if the public URL of the platform has TLS: a browser that has used it once never connects without TLS again. HSTS
 * is not sent for localhost: it applies to all ports of a name, so the browser could no longer reach other servers on its machine without
 * TLS.
 */
export function securityHeaders(publicUrl: URL | undefined): Readonly<Record<string, string>> {
  return publicUrl?.protocol === "https:" && publicUrl.hostname !== "localhost" ? { ...HEADERS, ...HSTS } : HEADERS;
}
