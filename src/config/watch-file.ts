import { stat } from "node:fs/promises";

const LOOK_EVERY_MS = 500;

/**
 * Calls `onChange` when the file is another than before, or gone, until the function that is returned is called. It looks twice
 * a second: notifications of the system run out, end with the folder that they are for, and say nothing of network drives,
 * mounts of a container, and links on the way to the file, which is how Kubernetes puts a new one in place. A look costs some
 * microseconds. What is still being written differs from look to look, and is left alone until it does not.
 */
export function watchFile(path: string, onChange: () => void): () => void {
  let known: string | undefined;
  let seenLast: string | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // A drive that is gone may keep us waiting.
    if (isLooking) return;
    isLooking = true;
    const seen = await traitsOf(path);
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

/** What a file has that no other file, and no other content of it, has. */
async function traitsOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown";
  }
}
