const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "address not available",
  EACCES: "permission denied",
  ENOTFOUND: "there is no such name",
};

/** Bun's error names the address, and not the reason. */
export function notListening(thrown: unknown, hostname: string, port: number): Error {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "ENOTFOUND";
  return Object.assign(new Error(`Failed to listen at ${hostname}, port ${port}: ${LISTEN_ERRORS[code] ?? code}`), {
    code,
    syscall: "listen",
  });
}
