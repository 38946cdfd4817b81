/** Work that no caller waits for, such as writing down what has been. */
export interface BackgroundTask {
  /** How many items of it wait; none where nothing can be done about them. */
  readonly waiting: number;
  /** Does those that have waited longest, about so many. What goes wrong stays with whoever has the chore. */
  runSlice(items: number): void;
}
