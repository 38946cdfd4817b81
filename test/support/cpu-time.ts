const ROUNDS = 3;

/**
 * The CPU time in milliseconds that some work takes in this process: the minimum of several rounds. Other work on the machine adds to the
 * wall-clock time, but hardly to this. A virtual machine may count a pause of its host as CPU time, but not in every round.
 */
export function cpuMsOf(work: () => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...rounds);
}
