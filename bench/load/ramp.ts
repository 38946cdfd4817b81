/** Starts `count` tasks at a constant rate, whatever their duration. Late starts are caught up. */
export async function ramp(count: number, perSecond: number, start: (index: number) => void): Promise<void> {
  const began = Bun.nanoseconds();
  for (let index = 0; index < count;) {
    const due = Math.min(count, 1 + Math.floor(((Bun.nanoseconds() - began) / 1e9) * perSecond));
    while (index < due) start(index++);
    await Bun.sleep(2);
  }
}

/** Polls a condition; false if it was not true within the time. */
export async function within(ms: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await Bun.sleep(20)) {
    if (await isSo()) return true;
  }
  return isSo();
}
