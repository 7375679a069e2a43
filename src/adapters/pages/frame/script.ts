/**
 * The only script of the pages; every page works without it. It remembers the choice of light or dark, and gives each
 * copy box its button.
 */
export const SCRIPT = `"use strict";
(() => {
  const root = document.documentElement;
  const store = (change) => { try { return change(localStorage); } catch { return null; } };
  const show = (theme) => { if (theme === "light" || theme === "dark") root.dataset.theme = theme; else delete root.dataset.theme; };
  const kept = store((s) => s.getItem("theme"));
  show(kept);
  document.addEventListener("DOMContentLoaded", () => {
    for (const radio of document.querySelectorAll("input[name=theme]")) {
      if (radio.value === kept) radio.checked = true;
      radio.addEventListener("change", () => {
        show(radio.value);
        store((s) => (radio.value === "auto" ? s.removeItem("theme") : s.setItem("theme", radio.value)));
      });
    }
    for (const snippet of document.querySelectorAll("pre.copy")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy-button";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy: " + (snippet.getAttribute("aria-label") || "snippet"));
      button.addEventListener("click", async () => {
        const text = snippet.textContent;
        let copied = false;
        try { await navigator.clipboard.writeText(text); copied = true; } catch {
          const range = document.createRange();
          range.selectNodeContents(snippet);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          copied = document.execCommand("copy");
        }
        button.textContent = copied ? "Copied" : "Press Ctrl+C";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
      snippet.after(button);
    }
  });
})();
`;
