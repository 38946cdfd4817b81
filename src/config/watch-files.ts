import { stat } from "node:fs/promises";

const LOOK_EVERY_MS = 500;

/**
 * Calls `onChange` when one of the files has changed or was removed, until the returned function is called. It polls twice a second,
 * because file system notifications have disadvantages: they are limited in number, and end with the watched folder. They miss network
 * drives, container mounts, and symbolic links in the path, by which Kubernetes replaces a file. A poll takes some microseconds. A file
 * that is still being written differs between two polls, and is not reported until it stays the same.
 */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  let known: string | undefined;
  let seenLast: string | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // Access to a disconnected drive may block.
    if (isLooking) return;
    isLooking = true;
    const seen = (await Promise.all(paths.map(fingerprintOf))).join("\n");
    isLooking = false;
    const isSettled = seen === seenLast;
    seenLast = seen;
    if (!isSettled || seen === known) return;
    known = seen;
    onChange();
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A fingerprint of the file's metadata and content. */
async function fingerprintOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown";
  }
}
