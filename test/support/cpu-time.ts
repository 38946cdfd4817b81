const ROUNDS = 3;

/**
 * The milliseconds of CPU that some work takes in this process: the least of some rounds. Other work on the machine adds to the
 * time on the wall clock and hardly to this; a virtual machine may count a pause of its host as CPU, but not in every round.
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
