/*
 * The only script of the pages; every page works without it. It remembers the choice of light or dark, gives each copy
 * box its button, passes a page on, and suggests places below the box that takes one, from `GET /places`, 200 ms after the
 * last key.
 */

(() => {
  const root = document.documentElement;
  const store = (change) => {
    try {
      return change(localStorage);
    } catch {
      return null;
    }
  };
  const show = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
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
      button.setAttribute("aria-label", `Copy: ${snippet.getAttribute("aria-label") || "snippet"}`);
      button.addEventListener("click", async () => {
        let copied = true;
        try {
          await navigator.clipboard.writeText(snippet.textContent);
        } catch {
          getSelection().selectAllChildren(snippet);
          copied = document.execCommand("copy");
        }
        button.textContent = copied ? "Copied" : "Press Ctrl+C";
        setTimeout(() => {
          button.textContent = "Copy";
        }, 2000);
      });
      snippet.after(button);
    }
    const share = document.querySelector("a.share");
    if (share && navigator.clipboard) {
      share.textContent = "Copy address";
      share.onclick = (event) => {
        event.preventDefault();
        navigator.clipboard.writeText(share.href).then(() => {
          share.textContent = "Copied";
        });
      };
    }
    const place = document.querySelector("input[list=places]");
    if (place) suggestPlaces(place, document.getElementById("places"));
  });
  const suggestPlaces = (box, list) => {
    let timer, asked;
    box.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const begun = box.value.trim();
        if (begun === asked || begun.length < 2 || /^[-\d]/.test(begun)) return;
        if ([...list.options].some((option) => option.value === begun)) return;
        asked = begun;
        try {
          const answer = await fetch(`/places?q=${encodeURIComponent(begun)}`);
          const { places } = await answer.json();
          if (!answer.ok || asked !== begun) return;
          list.replaceChildren(
            ...places.map(({ label }) => {
              const option = document.createElement("option");
              option.value = label;
              // Browsers hide what does not hold the words typed: Vienna, to who types Wien.
              if (!label.toLowerCase().includes(begun.toLowerCase())) option.label = begun;
              return option;
            }),
          );
        } catch {
          asked = undefined;
        }
      }, 200);
    });
  };
})();
