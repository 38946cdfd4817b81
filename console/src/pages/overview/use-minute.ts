import { useEffect, useState } from "react";

const MINUTE_MS = 60_000;

/** The time, to the minute: a page that is left open for hours must not show the hours before them. */
export function useMinute(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
