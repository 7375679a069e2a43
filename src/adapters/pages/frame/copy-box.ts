import { type Html, html } from "./html.ts";

/**
 * A text to copy by hand; the script adds a button.
 * @param label  what it is, for screen readers
 */
export function copyBox(label: string, text: string | Html): Html {
  // Scrolling boxes must be reachable by keyboard.
  return html`<pre class="copy" tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;
}
