/** A slip of paper on a board, held by a pin. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#fffdf8" stroke="#1d1b16" stroke-width="2" d="M5 4h22v24l-4-3-4 3-4-3-4 3-6-4z"/><path stroke="#8a8272" stroke-width="2" d="M10 15h12M10 20h8"/><circle cx="16" cy="7" r="4" fill="#a83a1e"/></svg>`;
