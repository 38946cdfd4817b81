/** Sends a signal to one process. 0 and negative numbers are ignored, because they mean process groups, which may include this process. */
export function sendSignal(pid: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined || pid <= 0) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
