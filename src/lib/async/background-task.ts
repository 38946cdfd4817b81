/** Background work that no request waits for, such as batched writes. */
export interface BackgroundTask {
  /** Queued items; 0 while none can be processed. */
  readonly waiting: number;
  /** Processes about this many items, oldest first. It handles its own errors. */
  runSlice(items: number): void;
}
