import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { KeyPage } from "./key-holder/key-page.tsx";

/** The page for the holder of a key. It is a separate program: it loads no part of the console, and stores nothing. */
createRoot(document.querySelector("#key")!).render(
  <StrictMode>
    <KeyPage gateway={document.documentElement.dataset.gateway!} />
  </StrictMode>,
);
