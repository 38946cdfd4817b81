const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "address not available",
  EACCES: "permission denied",
  ENOENT: "there is no such folder",
  ENOTDIR: "there is no such folder",
  ENOTFOUND: "there is no such name",
  ENOTSOCK: "a file is there that is not a socket",
};

/** Explains why listening failed: Bun's error names only the address. `place` is the address, as the message shows it. */
export function notListening(thrown: unknown, place: string): Error {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "ENOTFOUND";
  return Object.assign(new Error(`Failed to listen at ${place}: ${LISTEN_ERRORS[code] ?? code}`), { code, syscall: "listen" });
}
