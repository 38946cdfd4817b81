import { SQL } from "bun";
import { eventually } from "../eventually.ts";

/** Waits until the database at this URL accepts connections. */
export async function untilAnswering(address: string): Promise<void> {
  await eventually(
    async () => {
      const probe = new SQL(address, { max: 1, connectionTimeout: 5 });
      try {
        await probe`select 1`;
        return true;
      } catch {
        return false;
      } finally {
        await probe.close({ timeout: 0 }).catch(() => undefined);
      }
    },
    (isAnswering) => isAnswering,
    { everyMs: 50 },
  );
}
