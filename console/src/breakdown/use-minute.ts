import { useEffect, useState } from "react";

const MINUTE_MS = 60_000;

/** The current time, updated every minute, so that a page that stays open moves its range forward. */
export function useMinute(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
