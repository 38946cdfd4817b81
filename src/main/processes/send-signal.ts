/** Sends a signal to one process. 0 and negative numbers stand for groups of processes, this one included. */
export function sendSignal(pid: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined || pid <= 0) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
