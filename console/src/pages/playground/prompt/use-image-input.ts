import { useState, type ClipboardEvent, type DragEvent } from "react";
import type { Prompt } from "../conversation.ts";
import { readImage, sortImages } from "./read-image.ts";

interface Zone {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: () => void;
  readonly onDrop: (event: DragEvent) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** Adds images from the file picker, drag and drop, and the clipboard. */
export function useImageInput(onChange: (change: (before: Prompt) => Prompt) => void): {
  readonly isOver: boolean;
  readonly take: (files: readonly File[]) => void;
  readonly problems: readonly string[];
  readonly zone: Zone;
} {
  const [isOver, setOver] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const add = async (files: readonly File[]): Promise<void> => {
    const sorted = sortImages(files);
    setProblems(sorted.problems);
    const read = await Promise.allSettled(sorted.fit.map(readImage));
    const images = read.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    onChange((before) => ({ ...before, images: [...before.images, ...images] }));
  };
  const take = (files: readonly File[]): void => void add(files);
  const zone = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      take([...event.dataTransfer.files]);
    },
    onPaste: (event: ClipboardEvent) => {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      take(files);
    },
  };
  return { isOver, take, problems, zone };
}
